# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What `ssctr doctor` says of the machine that a test runs on.

# doctor_finds [NAME=STATUS]...: every check is ok but for these, and the exit status
# is that of the last, record.
doctor_finds() {
	ssctr doctor >"$data" 2>&1
	doctor_status=$?
	cat "$data"
	doctor_want=0
	case " $* " in *' record=NO '*) doctor_want=1 ;; esac
	[ $doctor_status = $doctor_want ] || return
	awk -v others="$*" '
		BEGIN {
			n = split("machine harts firmware kernel pmu overflow module depth filters access perf record", name)
			for (i = 1; i <= n; i++) want[name[i]] = "ok"
			n = split(others, other, / /)
			for (i = 1; i <= n; i++) {
				split(other[i], is, /=/)
				want[is[1]] = is[2]
			}
		}
		/^[a-zN?]/ && $2 in want {
			if ($1 != want[$2]) { print "not " want[$2] ": " $0; bad = 1 }
			delete want[$2]
		}
		END {
			for (i in want) { print "nothing on " i; bad = 1 }
			exit bad
		}' "$data"
}

# doctor_says NAME TEXT: in the line of that check, or in its remedy.
doctor_says() {
	doctor_line=$(grep -A 1 "^[a-zNO?]* *$1 " "$data")
	echo "$doctor_line"
	case $doctor_line in *"$2"*) ;; *) return 1 ;; esac
}

# doctor_json true|false: one object that says whether the machine is usable.
doctor_json() {
	doctor_object=$(ssctr doctor --json)
	echo "$doctor_object"
	case $doctor_object in "{\"usable\":$1,"*'}]}') ;; *) return 1 ;; esac
}

# Would the unit load the module at boot?
unit_loads() {
	condition=$(sed -n "s/^ExecCondition=\/bin\/sh -c '\(.*\)'$/\1/p" ssctr.service)
	echo "condition: $condition"
	[ "$condition" ] && sh -c "$condition"
}
