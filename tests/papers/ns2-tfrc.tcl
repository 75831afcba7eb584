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

# RFC 5348 as far as ns-2 can be set (its own defaults in brackets).
Agent/TFRC set packetSize_ $s           ;# s
Agent/TFRC set tcp_tick_ 0.001          ;# RTO clock [0.1]
Agent/TFRC set df_ 0.9                  ;# q, 4.3 step 2 [0.95]
Agent/TFRC set bval_ 1                  ;# b, 3.1 [1]
Agent/TFRC set ca_ 1                    ;# X_inst by sqrt of RTT, 4.5 [1]
Agent/TFRC set minrto_ [expr $rto * $rtt] ;# floor of t_RTO, 3.1 [0]
Agent/TFRC set SndrType_ 0              ;# always has data [0]
Agent/TFRC set oldCode_ false           ;# data-limited code, unused here [false]
Agent/TFRC set maxHeavyRounds_ 0        ;# X <= 2 X_recv at once [0]
Agent/TFRC set conservative_ 0          ;# not in the RFC [0]
Agent/TFRC set rate_init_option_ 2      ;# RFC 3390 initial rate [2]
Agent/TFRC set overhead_ 0              ;# no jitter of send times [0]
Agent/TFRC set useHeaders_ true         ;# 32 bytes on the wire, not in s [true]
Agent/TFRCSink set algo_ 1              ;# average loss interval (WALI) [1]
Agent/TFRCSink set NumSamples_ -1       ;# n = 8 [-1]
Agent/TFRCSink set smooth_ 1            ;# RFC weights [1]
Agent/TFRCSink set discount_ 1          ;# 5.5 [1]
Agent/TFRCSink set minDiscountRatio_ 0.25 ;# THRESHOLD, 5.5 [0.5]
Agent/TFRCSink set NumFeedback_ 1       ;# reports per RTT [1]
Agent/TFRCSink set AdjustHistoryAfterSS_ 1 ;# first interval from the rate, 6.3.1 [1]
Agent/TFRCSink set PreciseLoss_ 1       ;# [1]
Agent/TFRCSink set ShortIntervals_ 0    ;# RFC 4828 off [0]
# NDUPACK is 3 in the RFC; ns-2's own note calls 3 buggy. No reordering here.
Agent/TFRCSink set numPkts_ 1           ;# [1]
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
