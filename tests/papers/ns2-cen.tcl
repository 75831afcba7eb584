# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Oracle for flows that share a queue: paper 000's networks (V) in ns-2, with
# independent random losses of the radio, so that ours can have the same.
#
#   ns ns2-cen.tcl TOPOLOGY KIND N P SEED [RTO]
#
# TOPOLOGY    wlh (figure 5: the radio is each flow's last link, 150 kb/s) or
#             wb (figure 6: the shared link is the radio)
# KIND        tfrc (as RFC 5348), Reno, Newreno or Sack1
# N           flows
# P           loss probability of the radio, 0..1
# SEED        of losses and starts
# RTO         tfrc: lower bound of t_RTO, s. RFC 5348 has 4 R, ns-2 R and 4 mean
#             deviations: give it 4 times the mean R to compare. [0]
#             tcp: its least timeout, s; 0 is 1 [0]
#
# Output: result TOPOLOGY KIND N P SEED delivered_% dropped_%
# delivered: of the bottleneck's rate, in packets of 762 bytes without what came
# twice; dropped: by queues, of what the flows sent.  200 s after the first 22.

if { $argc < 5 } { puts stderr "usage: ns ns2-cen.tcl TOPOLOGY KIND N P SEED \[RTO\]"; exit 2 }
lassign [concat $argv 0] topology kind n p seed rto
set warmup 22.0
set seconds 222.0
set size 762

source [file join [file dirname [info script]] ns2-rfc5348.tcl]
Agent/TFRC set packetSize_ $size
Agent/TFRC set useHeaders_ false        ;# s is all there is on the wire
Agent/TCP set packetSize_ [expr $size - 40] ;# and 40 of headers
Agent/TCP set window_ 1000              ;# the network decides [20]
Agent/TCP set windowInit_ 2             ;# [1]
Agent/TCP set tcpTick_ 0.001            ;# as ns-3's [.01]
# RFC 3042 belongs to ns-2 since 2.1b9 [1]; without SACK ns-3's goes wrong and is off
Agent/TCP set singledup_ [expr { $kind == "Sack1" }]
Agent/TCP set minrto_ [expr $rto > 0 ? $rto : 1.0] ;# RFC 6298, and ns-3 [.2]

# V-C: V-A's rates and delays; a queue of 1 packet per 60 kb/s, 6 at least
if { $topology == "wlh" } {
    set shared [expr max($n, 2) * 130e3]
    set bottleneck [expr $n == 1 ? 150e3 : $shared]
} else {
    set shared [expr $n == 1 ? 800e3 : 1600e3]
    set bottleneck $shared
}
proc queue_size { rate } { return [expr int(max($rate / 60e3, 6))] }

set ns [new Simulator]
set rng [new RNG]
for { set i 1 } { $i < $seed } { incr i } { $rng next-substream }
set u [new RandomVariable/Uniform]
$u set min_ 0
$u set max_ 1
$u use-rng $rng

proc radio { from to } {
    global ns u p
    if { $p == 0 } { return }
    set loss [new ErrorModel]
    $loss set rate_ $p
    $loss unit pkt
    $loss ranvar $u
    $ns link-lossmodel $loss $from $to
    $loss drop-target [new Agent/Null] ;# not to where queues drop
}

set r1 [$ns node]
set r2 [$ns node]
$ns duplex-link $r1 $r2 $shared 20ms DropTail
$ns queue-limit $r1 $r2 [queue_size $shared]
if { $topology == "wb" } { radio $r1 $r2 }

for { set i 0 } { $i < $n } { incr i } {
    set a [$ns node]
    set b [$ns node]
    $ns duplex-link $a $r1 10Mb 1ms DropTail
    if { $topology == "wlh" } {
        $ns duplex-link $r2 $b 150e3 10ms DropTail
        $ns queue-limit $r2 $b 6
        radio $r2 $b
    } else {
        $ns duplex-link $r2 $b 10Mb 1ms DropTail
    }
    if { $kind == "tfrc" } {
        set src($i) [new Agent/TFRC]
        set dst($i) [new Agent/TFRCSink]
        $src($i) set minrto_ $rto
    } else {
        set src($i) [new Agent/TCP/$kind]
        set dst($i) [new [expr { $kind == "Sack1" ? "Agent/TCPSink/Sack1" : "Agent/TCPSink" }]]
    }
    $ns attach-agent $a $src($i)
    $ns attach-agent $b $dst($i)
    $ns connect $src($i) $dst($i)
    if { $kind == "tfrc" } {
        set app $src($i)
    } else {
        set app [new Application/FTP]
        $app attach-agent $src($i)
    }
    $ns at [expr 20 + 2 * [$u value]] "$app start"
}

set monitors [list [$ns monitor-queue $r1 $r2 ""]]
proc drops {} {
    global monitors
    set sum 0
    foreach monitor $monitors { incr sum [$monitor set pdrops_] }
    return $sum
}
if { $topology == "wlh" } {
    for { set i 0 } { $i < $n } { incr i } {
        lappend monitors [$ns monitor-queue $r2 [$dst($i) set node_] ""]
    }
}
proc got { i } {
    global kind src dst size
    if { $kind == "tfrc" } { return [expr [$dst($i) set bytes_] / double($size)] }
    return [expr [$src($i) set ack_] + 1]
}
proc sent { i } {
    global src
    return [$src($i) set ndatapack_]
}
proc sums {} {
    global n
    set sums {0 0}
    for { set i 0 } { $i < $n } { incr i } {
        set sums [list [expr [lindex $sums 0] + [got $i]] [expr [lindex $sums 1] + [sent $i]]]
    }
    return [concat $sums [drops]]
}
$ns at $warmup { set before [sums] }
$ns at $seconds {
    lassign [sums] got sent drops
    lassign $before got0 sent0 drops0
    puts [format "result %s %s %s %s %s %.2f %.3f" $topology $kind $n $p $seed \
        [expr 100.0 * ($got - $got0) * $size * 8 / ($seconds - $warmup) / $bottleneck] \
        [expr 100.0 * ($drops - $drops0) / ($sent - $sent0)]]
    exit 0
}
$ns run
