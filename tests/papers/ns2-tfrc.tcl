# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Oracle for our TFRC: the rate of ns-2's TFRC (its authors' code) under
# independent random packet loss and no queueing.
#
#   ns ns2-tfrc.tcl P SECONDS SEED [RTO_IN_RTT [PRINT_LOSS]]
#
# P           packet loss probability, 0..1, uniform, data packets only
# SECONDS     end of the simulation; the first 20 s are not counted
# SEED        seed of the loss process, a positive integer
# RTO_IN_RTT  lower bound of t_RTO in the throughput equation, in RTTs. 0
#             (default) leaves ns-2 alone: t_RTO = SRTT + 4 RTTVAR as in TCP,
#             which is close to 1 RTT when the RTT is constant. 4 gives
#             RFC 5348's t_RTO = 4 R: use 4 to compare with an RFC 5348 sender.
# PRINT_LOSS  1: the sink prints the loss event rate p of every report too, as
#             "time: T sample 0: I0 loss_rate: P" (one report per RTT).
#
# Output: result p seconds seed rto_in_rtt sent_KB/s received_KB/s lost_share
# KB/s is 1000 bytes of TFRC payload (s) per second, headers not counted.

if { $argc < 3 } { puts stderr "usage: ns ns2-tfrc.tcl P SECONDS SEED \[RTO_IN_RTT \[PRINT_LOSS\]\]"; exit 2 }
set p       [lindex $argv 0]
set seconds [lindex $argv 1]
set seed    [lindex $argv 2]
set rto     [expr {$argc > 3 ? [lindex $argv 3] : 0}]
set print   [expr {$argc > 4 ? [lindex $argv 4] : 0}]
set warmup  20.0
set rtt     0.1
set s       1000

source [file join [file dirname [info script]] ns2-rfc5348.tcl]
Agent/TFRC set packetSize_ $s           ;# s
Agent/TFRC set minrto_ [expr $rto * $rtt] ;# floor of t_RTO, 3.1 [0]
Agent/TFRC set useHeaders_ true         ;# 32 bytes on the wire, not in s [true]
Agent/TFRCSink set printLoss_ $print

set ns [new Simulator]
set a [$ns node]
set b [$ns node]
# 1 Gb/s: serialisation is 8 us, so the RTT is 100.01 ms and no queue builds.
$ns duplex-link $a $b 1Gb [expr $rtt / 2] DropTail
$ns queue-limit $a $b 100000

set rng [new RNG]
$rng seed $seed
set u [new RandomVariable/Uniform]
$u set min_ 0
$u set max_ 1
$u use-rng $rng
set loss [new ErrorModel]
$loss set rate_ $p
$loss unit pkt
$loss ranvar $u
$loss drop-target [new Agent/Null]
$ns link-lossmodel $loss $a $b

set src [new Agent/TFRC]
set dst [new Agent/TFRCSink]
$ns attach-agent $a $src
$ns attach-agent $b $dst
$ns connect $src $dst

proc start_counting {} {
    global dst src bytes0 sent0
    set bytes0 [$dst set bytes_]
    set sent0  [$src set ndatapack_]
}
proc finish {} {
    global dst src bytes0 sent0 p seconds seed rto warmup s print
    # bytes_ counts s + 32 bytes of headers for each packet.
    set packets [expr ([$dst set bytes_] - $bytes0) / ($s + 32.0)]
    set sent    [expr [$src set ndatapack_] - $sent0]
    set t       [expr $seconds - $warmup]
    # The sink prints through C's own buffer: start on a fresh line.
    if { $print } { puts "" }
    puts [format "result %s %s %s %s %.2f %.2f %.5f" $p $seconds $seed $rto \
        [expr $sent * $s / 1000.0 / $t] [expr $packets * $s / 1000.0 / $t] \
        [expr 1.0 - $packets / $sent]]
    exit 0
}
$ns at 0.0 "$src start"
$ns at $warmup "start_counting"
$ns at $seconds "finish"
$ns run
