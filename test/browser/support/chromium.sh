#!/bin/sh
# Starts Chromium without the pages of its address bar. Each window would load two of them, and no test looks at them.
#
# Playwright turns features off by the same option, and Chromium takes the last one only: so this adds to Playwright's.
for argument; do
  shift
  case $argument in
    --disable-features=*) argument="$argument,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup" ;;
  esac
  set -- "$@" "$argument"
done
exec "$BURGEE_TEST_CHROMIUM" "$@"
