# RED and RIO in ns-2: the average queue and what each flow gets through.
# SPDX-License-Identifier: LGPL-2.1-or-later
#   ns tests/papers/ns2-queues.tcl red GENTLE WAIT RATE
#   ns tests/papers/ns2-queues.tcl rio RIO-C|WRED GREEN YELLOW RED
# Constant rates in kbit/s of 1,000-byte packets into 1 Mbit/s and a buffer of
# 100 packets, from 100 to 2,000 s.  RED: 25, 75, max_p .1, w_q .002; RIO: paper
# 004, table 1, w_q .0013.  Prints the average in packets, then bit/s by flow.
# tests/unit/test-link-ns2.c holds the numbers.

set kind [lindex $argv 0]
set rates [lrange $argv [expr {$kind eq "red" ? 3 : 2}] end]
set ns [new Simulator]
set router [$ns node]
set edge [$ns node]
set sink [$ns node]
$ns duplex-link $router $edge 100Mb 1ms DropTail
$ns simplex-link $edge $sink 1Mb 1ms \
    [expr {$kind eq "red" ? "RED" : "dsRED/edge"}]
$ns simplex-link $sink $edge 1Mb 1ms DropTail
$ns queue-limit $edge $sink 100
set q [[$ns link $edge $sink] queue]

if {$kind eq "red"} {
  foreach {name value} [list thresh_ 25 maxthresh_ 75 q_weight_ 0.002 \
      linterm_ 10 gentle_ [lindex $argv 1] wait_ [lindex $argv 2] \
      mean_pktsize_ 1000 bytes_ false queue_in_bytes_ false adaptive_ 0] {
    $q set $name $value
  }
} else {
  $q meanPktSize 1000
  $q set numQueues_ 1
  $q setNumPrec 3
  $q setMREDMode [lindex $argv 1]
  $q configQ 0 0 50 70 0.02 0.0013
  $q configQ 0 1 30 50 0.1 0.0013
  $q configQ 0 2 10 30 0.2 0.0013
}

set i 0
foreach rate $rates {
  set source [$ns node]
  $ns duplex-link $source $router 100Mb 1ms DropTail
  set udp [new Agent/UDP]
  $udp set packetSize_ 1000
  $ns attach-agent $source $udp
  set monitor($i) [new Agent/LossMonitor]
  $ns attach-agent $sink $monitor($i)
  $ns connect $udp $monitor($i)
  set cbr [new Application/Traffic/CBR]
  $cbr attach-agent $udp
  $cbr set packetSize_ 1000
  $cbr set rate_ ${rate}k
  $cbr set random_ 0
  $ns at [expr 0.0037 * $i] "$cbr start"
  if {$kind eq "rio"} {
    $q addPolicyEntry [$source id] [$sink id] Dumb [expr 10 + $i]
    $q addPolicerEntry Dumb [expr 10 + $i]
    $q addPHBEntry [expr 10 + $i] 0 $i
  }
  incr i
}

# Of WRED, getAverage is the sum over three colours of the same average.
proc average {} {
  global q kind argv
  if {$kind eq "red"} { return [$q set ave_] }
  if {[lindex $argv 1] eq "WRED"} { return [expr [$q getAverage 0] / 3.] }
  return [$q getAverage 0]
}

proc sample {} {
  global ns sum samples
  set sum [expr $sum + [average]]
  incr samples
  $ns at [expr [$ns now] + 0.05] sample
}

proc start {} {
  global i monitor before
  for {set k 0} {$k < $i} {incr k} { set before($k) [$monitor($k) set bytes_] }
  sample
}

proc finish {} {
  global i monitor before sum samples
  puts -nonewline [format "%.2f" [expr $sum / $samples]]
  for {set k 0} {$k < $i} {incr k} {
    puts -nonewline [format " %.0f" \
        [expr 8. * ([$monitor($k) set bytes_] - $before($k)) / 1900]]
  }
  puts ""
  exit
}

set sum 0
set samples 0
$ns at 100 start
$ns at 2000 finish
$ns run
