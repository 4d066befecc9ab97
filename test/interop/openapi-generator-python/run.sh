# needs: java, mvn, python3
set -eu
[ -d venv ] || python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt
rm -rf client
sh ../openapi-generator.sh -g python -o client --additional-properties=packageName=burgee
PYTHONPATH=client venv/bin/python program.py
