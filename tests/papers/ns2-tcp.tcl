# SPDX-License-Identifier: LGPL-2.1-or-later
#
# ns-2's TCPs in the networks of seeds 001 and 002: what is ns-3's, and what the
# network's.
#
#   ns ns2-tcp.tcl barman RTO SEED
#   ns ns2-tcp.tcl dcr RTO SEED DropTail|RED
#
# barman      paper 001, configuration 1: 20 of NewReno; goodput in kb/s of a flow
# dcr         paper 002, 4.2: 24 of Sack1 without radio losses; mean queue in packets,
#             and % dropped by it
# RTO         least timeout, s
# SEED        of losses and starts

lassign $argv network rto seed aqm
if { $argc < 3 } { puts stderr "usage: ns ns2-tcp.tcl barman|dcr RTO SEED \[AQM\]"; exit 2 }
if { $network == "barman" } {
    lassign { 20 3.0 508 3 100 Newreno TCPSink } n spread queue warmup seconds kind sink
    lassign { 50ms 1ms 2Mb 0.01ms 50 } delay in_delay out out_delay out_queue
    Agent/TCP set packetSize_ 1000          ;# ns 2.1b8a counts no headers
    Agent/TCP set window_ 1000
    Agent/TCP set windowInit_ 1
    Agent/TCP set singledup_ 0              ;# not in 2.1b8a
} else {
    lassign { 24 23.0 70 25 50 Sack1 TCPSink/Sack1 } n spread queue warmup seconds kind sink
    lassign { 5ms 5ms 1Mb 20ms 50 } delay in_delay out out_delay out_queue
    Agent/TCP set packetSize_ 960           ;# and 40 of headers
    Agent/TCP set window_ 16
    Agent/TCP set windowInit_ 2
    Agent/TCP set singledup_ 1              ;# 3.1
    # 4.2.6: 25 and 75 % of the buffer
    Queue/RED set thresh_ 17.5
    Queue/RED set maxthresh_ 52.5
    Queue/RED set linterm_ 10
    Queue/RED set mean_pktsize_ 1000
    Queue/RED set adaptive_ 0
}
if { $aqm == "" } { set aqm DropTail }
Agent/TCP set tcpTick_ 0.1                  ;# the default until 2004
Agent/TCP set minrto_ $rto

set ns [new Simulator]
set rng [new RNG]
for { set i 1 } { $i < $seed } { incr i } { $rng next-substream }
set u [new RandomVariable/Uniform]
$u set min_ 0
$u set max_ 1
$u use-rng $rng

set r1 [$ns node]
set r2 [$ns node]
$ns duplex-link $r1 $r2 10Mb $delay $aqm
$ns queue-limit $r1 $r2 $queue
for { set i 0 } { $i < $n } { incr i } {
    set a [$ns node]
    set b [$ns node]
    $ns duplex-link $a $r1 [expr { $network == "dcr" ? "100Mb" : "10Mb" }] $in_delay DropTail
    $ns duplex-link $r2 $b $out $out_delay DropTail
    $ns queue-limit $r2 $b $out_queue
    if { $network == "barman" } {
        set loss [new ErrorModel]
        $loss set rate_ .05
        $loss unit pkt
        $loss ranvar $u
        $loss drop-target [new Agent/Null]
        $ns link-lossmodel $loss $r2 $b
    }
    set src($i) [new Agent/TCP/$kind]
    set dst [new Agent/$sink]
    $ns attach-agent $a $src($i)
    $ns attach-agent $b $dst
    $ns connect $src($i) $dst
    set app [new Application/FTP]
    $app attach-agent $src($i)
    $ns at [expr $spread * [$u value]] "$app start"
}
# Paper 001's cross traffic
for { set i 0 } { $network == "barman" && $i < 10 } { incr i } {
    set a [$ns node]
    set b [$ns node]
    $ns duplex-link $a $r1 10Mb 1ms DropTail
    $ns duplex-link $r2 $b 10Mb 1ms DropTail
    set udp [new Agent/UDP]
    $udp set packetSize_ 1000
    set null [new Agent/Null]
    $ns attach-agent $a $udp
    $ns attach-agent $b $null
    $ns connect $udp $null
    set app [new Application/Traffic/Pareto]
    foreach { name value } { packetSize_ 1000 burst_time_ 45ms idle_time_ 10ms rate_ 200k shape_ 1.5 } {
        $app set $name $value
    }
    $app attach-agent $udp
    $ns at [expr 3 * [$u value]] "$app start"
}

set monitor [$ns monitor-queue $r1 $r2 ""]
set packets [$monitor get-pkts-integrator]
proc acked {} {
    global n src
    set sum 0
    for { set i 0 } { $i < $n } { incr i } { incr sum [$src($i) set ack_] }
    return $sum
}
proc numbers {} {
    global ns monitor packets
    $packets newpoint [$ns now] [$monitor set pkts_]
    return [list [acked] [$packets set sum_] [$monitor set parrivals_] [$monitor set pdrops_]]
}
proc result {} {
    global argv network before n seconds warmup
    lassign $before acked sum arrived dropped
    lassign [numbers] acked2 sum2 arrived2 dropped2
    set span [expr double($seconds - $warmup)]
    if { $network == "barman" } {
        puts "result $argv [format %.1f [expr 8.0 * ($acked2 - $acked) / $n / $span]]"
    } else {
        puts "result $argv [format %.1f [expr ($sum2 - $sum) / $span]] [format %.2f [
            expr 100.0 * ($dropped2 - $dropped) / ($arrived2 - $arrived)]]"
    }
    exit 0
}
$ns at $warmup { set before [numbers] }
$ns at $seconds result
$ns run
