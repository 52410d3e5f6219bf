# The write rule for `ioproof verify`.

. /share/lib.sh
. /share/write_cases.sh
. /share/write_rule.sh

finish
