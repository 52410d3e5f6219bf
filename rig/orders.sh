# Carries out orders of the host one after another, until the power fails: /share/orders/N.sh, from 1 on, there by rename and so never half.
# What an order prints and its exit status are files beside it. An order that leaves a program in the background gives it files of its own.

number=1
: >/share/ready
while :; do
    order=/share/orders/$number
    while [ ! -e $order.sh ]; do usleep 20000; done
    dash $order.sh </dev/null >$order.out 2>$order.err
    echo $? >$order.ended
    mv $order.ended $order.status
    number=$((number + 1))
done
