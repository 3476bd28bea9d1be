# The words of WORDS that begin with BEGIN, behind BEFORE; without a process, which
# compgen needs for its output: WORDS BEGIN [BEFORE]
@function@_match() {
	local found
	local -a words

	read -rd '' -a words <<<"$1"
	for found in "${words[@]}"; do
		[[ $found != "$2"* ]] || COMPREPLY+=("${3-}$found")
	done
}

# Complete the last word of a command line of @program@.
@function@() {
	local word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]}
	local subcommands='@subcommands@'
	local command='' options='' rest='' takes='' behind='' i=1

	# "--format=c" comes as three words.
	if [[ $word == = ]]; then
		word=
	elif [[ $before == = ]] && ((COMP_CWORD > 2)); then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	COMPREPLY=()
	@function@_has ''
	if ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[1]} != -* ]] &&
		@function@_has "${COMP_WORDS[1]}"; then
		command=${COMP_WORDS[1]}
		i=2
	fi
	for (( ; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--)
			((i++))
			behind=1
			break ;;
		-*)
			@function@_takes "$command" "${COMP_WORDS[i]}"
			[[ -z $takes ]] || ((i++))
			[[ ${COMP_WORDS[i]} != = ]] || ((i++)) ;;
		=) ((i++)) ;;
		*)
			# What follows a command that is run is its own.
			[[ $rest != run ]] || break ;;
		esac
	done
	if [[ $rest == run ]] && ((i < COMP_CWORD)); then
		if declare -F _command_offset >/dev/null; then
			_command_offset "$i"
		else
			compopt -o filenames 2>/dev/null
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
		fi
		return
	fi
	[[ -n $behind ]] || @function@_takes "$command" "$before"
	if [[ -z $behind && -z $takes && $word == -* ]]; then
		@function@_match "$options" "$word"
		return
	fi
	case ${takes:-$rest} in
	words\ *)
		takes=${takes:-$rest}
		@function@_match "${takes#* }" "$word" ;;
	list\ *)
		@function@_match "${takes#* }" "${word##*,}" "${word%"${word##*,}"}"
		compopt -o nospace 2>/dev/null ;;
	file)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	directory)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
	pid)
		mapfile -t COMPREPLY < <(compgen -W "$(ps -eo pid=)" -- "$word") ;;
	project)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -X '!*.proj' -- "$word"
			compgen -f -X '!*.stat' -- "$word"
			compgen -f -X '!*.trc' -- "$word"
			compgen -f -X '!*.zst' -- "$word"
			compgen -f -X '!*.hdz' -- "$word"
			compgen -d -- "$word") ;;
	run)
		mapfile -t COMPREPLY < <(compgen -c -- "$word" | sort -u) ;;
	subcommand)
		@function@_match "$subcommands" "$word" ;;
	esac
}
complete -F @function@ @program@
