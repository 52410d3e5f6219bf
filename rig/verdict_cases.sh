# Cases about verdicts: `. /share/verdict_cases.sh`, after lib.sh. A drive is verified against a claim, and what is said of it is looked at
# as data.
#
# The claim is one that no emulated drive reaches, so a run that nothing doubts *misses* it. A case that wants no *misses* is therefore
# proven by a control without that which the case is about.

export XDG_STATE_HOME=/tmp/state
datasheet=/tmp/rig-claim.toml
cat >$datasheet <<'TOML'
name = "rig-claim"
vendor = "ioproof"
family = "drive that no emulation reaches"
models = []
interface = "nvme"

[[claim]]
metric = "iops"
value = 9000000
unit = "IOPS"
qualifier = "up to"
pattern = "random"
mix = "read"
block_size = "4KiB"
queue_depth = 4
workers = 1
source = "the rig"
confidence = "high"
TOML

# The load of the claim, in runs enough for a verdict.
load='--rw randread --bs 4KiB --workers 1 --depth 4 --time 8s --runs 6'

# written SERIAL: the drive, full of data that no cache or drive makes shorter; leaves `device`. What was never written is not judged.
written() {
    device=$(drive "$1")
    must dd if=/dev/urandom of="$device" bs=1M count=32 oflag=direct
}

# verified TARGET ARGUMENT...: leaves `status` and the report. `inside` is what it is run by.
verified() {
    local target=$1
    shift
    timeout -k 5 200 $inside ioproof verify "$target" "$@" --json </dev/null >/tmp/report.json 2>/tmp/talk
    status=$?
}
inside=

# claimed TARGET ARGUMENT...: the same, against the claim.
claimed() {
    verified "$@" --datasheet $datasheet $load
}

# holds ARGUMENT... EXPRESSION: of the report, as jq takes both. To jq everything is true of nothing.
holds() {
    [ -s /tmp/report.json ] || { why='no report'; return 1; }
    jq -e "$@" /tmp/report.json >/dev/null 2>&1 || { why="not so: $*"; return 1; }
}

# says WORDS: a regular expression, in what it said while it ran.
says() {
    grep -qE "$1" /tmp/talk || { why="nothing said of: $1"; return 1; }
}

# ended STATUSES...: with one of these, and without a panic.
ended() {
    if grep -q panicked /tmp/talk; then why='a panic'; return 1; fi
    case " $* " in
        *" $status "*) ;;
        *) why="exit status $status instead of $*"; return 1 ;;
    esac
}

# limited PLACE: the limit of a row.
limited() {
    holds --arg place "$1" '[.judgement.rows[].limit.place] | index($place)'
}

# found RULE
found() {
    holds --arg rule "$1" '[.judgement.findings[].rule] | index($rule)'
}

# missed, not_missed: the verdict of the claim.
missed() {
    ended 1 && holds '[.judgement.rows[].verdict] | index("misses")'
}
not_missed() {
    ended 0 2 3 && holds '[.judgement.rows[] | select(.claim != null)] | length > 0 and all(.verdict != "misses")'
}

# verdict CASE RESULT
verdict() {
    if [ "$2" -eq 0 ]; then
        pass "$1"
    else
        fail "$1: $why (exit status $status)"
        tail -n 8 /tmp/talk
        jq -c '[.judgement.exit_reason, (.judgement.rows[] | [.verdict, .measured.median, .limited_by, .limit.place, .limit.confidence]), [.judgement.findings[] | [.rule, .effect]]]' /tmp/report.json 2>/dev/null
    fi
}
