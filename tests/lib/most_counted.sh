# most_counted PROGRAM FUNCTION: what one piece of the function's code without branches and calls
# counts in its own array at most, read off the machine code. The program has one counter set, and
# is not position-independent code with -fPIC; if the function is main, its two counters for
# activations begun and ended are left out.
most_counted() {
    local program=$1 name=$2 low= size= length= align= most=0 sum=0 at by first end
    read -r low size < <(nm -S "$program" | awk -v name="__cotree.$name" '$4 == name { print $1, $2 }')
    read -r length align < <(readelf -lW "$program" | awk '$1 == "TLS" { print $6, $NF }')
    first=$((0x$low - (length + align - 1) / align * align + 16)) # behind the header of the array
    end=$((first + 0x$size - 16))
    if [ "$name" = main ]; then end=$((end - 16)); fi
    while read -r at by; do
        if [ "$at" = end ]; then
            sum=0
        elif [ $((at)) -ge $first ] && [ $((at)) -lt $end ]; then
            sum=$((sum + by))
            if [ $sum -gt $most ]; then most=$sum; fi
        fi
    done < <(objdump -d --no-show-raw-insn --disassemble="$name" "$program" |
        sed -n 's/.*\t\(j[a-z]*\|call\|ret\|ud2\)\>.*/end 0/p; s/.*\tincq *%fs:\(0x[0-9a-f]*\)$/\1 1/p; s/.*\taddq *\$\(0x[0-9a-f]*\),%fs:\(0x[0-9a-f]*\)$/\2 \1/p')
    echo $most
}
