# needs: python3
set -eu
version=0.29.1
[ -d venv ] || python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check "openapi-python-client==$version"
rm -rf client
venv/bin/openapi-python-client generate --path "$OPENAPI" --meta none --output-path client
venv/bin/python program.py
