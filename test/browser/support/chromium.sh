#!/bin/sh
# Starts Chromium without what no test looks at: two pages of the address bar in each window, and after each navigation a
# process for a next site.
#
# Playwright turns features off by the same option, and Chromium takes the last one only: so this adds to Playwright's.
for argument; do
  shift
  case $argument in
    --disable-features=*) argument="$argument,SpareRendererForSitePerProcess,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup" ;;
  esac
  set -- "$@" "$argument"
done
exec "$BURGEE_TEST_CHROMIUM" "$@"
