#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Do the limbs of Poly1305 fit their words? See bounds.py.

. "$(dirname "$0")/lib.sh"
if ! have python3; then
    skip "bounds" "needs python3"
    finish
fi
python3 "$ROOT/test/bounds.py"
code=$?
rm -rf "$WORK"
exit $code
