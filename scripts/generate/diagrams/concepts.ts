// Diagrams of docs/concepts that are not generated from state tables: the objects, and the order of steps.

import type { Arrow, Graph } from './graph.ts'

const arrow = (from: string, to: string, ...lines: string[]): Arrow =>
  lines.length === 0 ? { from, to } : { from, to, lines }
const dashed = (from: string, to: string, ...lines: string[]): Arrow => ({ from, to, lines, isDashed: true })

const objects: Graph = {
  title: 'The objects of a workspace',
  description:
    'A customer has payment methods and subscriptions. A subscription creates invoices, and an invoice is collected by payments. A route sends a payment to provider accounts as attempts, and refunds return it. Every change to an object creates an event, which is delivered to webhook endpoints.',
  direction: 'down',
  boxes: [
    { id: 'customer', lines: ['customer', 'who pays you'] },
    { id: 'method', lines: ['payment method', 'a saved card or bank account'] },
    { id: 'subscription', lines: ['subscription', 'billed every period'] },
    { id: 'invoice', lines: ['invoice', 'an amount owed'] },
    { id: 'payment', lines: ['payment', 'one amount to collect'] },
    { id: 'route', lines: ['route', 'selects the account'] },
    { id: 'attempt', lines: ['attempt', 'one account tried'] },
    { id: 'refund', lines: ['refund', 'an amount returned'] },
    { id: 'event', lines: ['event', 'one change to one object'] },
    { id: 'delivery', lines: ['delivery', 'an event being sent'] },
    { id: 'endpoint', lines: ['endpoint', 'your URL'] },
  ],
  arrows: [
    arrow('customer', 'method', 'has'),
    arrow('customer', 'subscription', 'has'),
    arrow('subscription', 'invoice', 'creates one per period'),
    arrow('invoice', 'payment', 'is collected by'),
    arrow('method', 'payment', 'pays'),
    arrow('route', 'payment', 'routes'),
    arrow('payment', 'attempt', 'has'),
    arrow('payment', 'refund', 'is refunded by'),
    dashed('payment', 'event', 'every change creates'),
    arrow('event', 'delivery', 'one per endpoint'),
    arrow('delivery', 'endpoint', 'is sent to'),
  ],
  legend: 'All objects create events, not only payments.',
}

const payment: Graph = {
  title: 'How a payment is processed',
  description:
    'The request is validated, the route selects an account, the attempt is committed, then the provider is called without an open transaction. The response and its events are committed. Without a response the outcome is unknown, and the resolver queries the provider until it is known. After a failure that did not charge the payer, the next account may be tried.',
  direction: 'down',
  boxes: [
    { id: 'request', lines: ['POST /payments', 'validated, key claimed'] },
    { id: 'route', lines: ['route', 'accounts in order'] },
    { id: 'intend', lines: ['attempt', 'committed before the call'] },
    { id: 'ask', lines: ['call the provider', 'no transaction open'] },
    { id: 'record', lines: ['record', 'outcome and events committed'] },
    { id: 'unknown', lines: ['unknown', 'no other provider is tried'] },
    { id: 'resolve', lines: ['resolve', 'query, repeat or close'] },
    { id: 'answer', lines: ['response', '201, 202 or 402'], kind: 'end' },
  ],
  arrows: [
    arrow('request', 'route'),
    arrow('route', 'intend'),
    arrow('intend', 'ask'),
    arrow('ask', 'record', 'known outcome'),
    dashed('ask', 'unknown', 'timeout, or incomplete response'),
    dashed('unknown', 'resolve', 'a worker, repeatedly'),
    dashed('resolve', 'record', 'outcome known'),
    arrow('record', 'intend', 'failed without a charge,', 'fail over to the next account'),
    arrow('record', 'answer', 'approved, declined, or the last account'),
  ],
}

const route: Graph = {
  title: 'How a route selects a provider account',
  description:
    'Rules are evaluated in order, and the first match decides, otherwise the default. Its action lists accounts by priority, by weighted random choice or by approval rate. Accounts that cannot process the payment are skipped, and failing accounts move to the end. The first account is tried. After a failure that did not charge the payer, the next one is tried.',
  direction: 'down',
  boxes: [
    { id: 'payment', lines: ['a payment', 'amount, currency, card, ...'] },
    { id: 'rules', lines: ['rules, in order', 'the first match decides'] },
    { id: 'default', lines: ['default'] },
    { id: 'action', lines: ['action', 'priority, split or decline'] },
    { id: 'able', lines: ['eligible accounts', 'currency, brand, amount, hold'] },
    { id: 'order', lines: ['the order', 'failing accounts last'] },
    { id: 'ask', lines: ['attempt', 'the first account'] },
    { id: 'end', lines: ['the payment ends'], kind: 'end' },
  ],
  arrows: [
    arrow('payment', 'rules'),
    arrow('rules', 'action', 'one matches'),
    arrow('rules', 'default', 'none matches'),
    arrow('default', 'action'),
    arrow('action', 'able'),
    arrow('able', 'order'),
    arrow('order', 'ask', 'try'),
    arrow('ask', 'order', 'failed without a charge:', 'the next account'),
    arrow('ask', 'end', 'approved, hard decline,', 'or unknown outcome'),
  ],
}

const event: Graph = {
  title: 'How an event is delivered',
  description:
    'A change and its event are committed together, with a delivery for each subscribed endpoint. A worker sends the signed event. A 2xx response completes the delivery. Any other result is retried with increasing delays until the delivery is exhausted. Exhausted and held deliveries can be resent for 30 days.',
  direction: 'down',
  boxes: [
    { id: 'change', lines: ['a change', 'in one transaction'] },
    { id: 'event', lines: ['event', 'same transaction'] },
    { id: 'delivery', lines: ['delivery', 'one per endpoint'] },
    { id: 'post', lines: ['POST to your URL', 'signed, up to 15 s'] },
    { id: 'done', lines: ['delivered'], kind: 'end' },
    { id: 'wait', lines: ['waits', '5 s, 30 s, 2 min, ...'] },
    { id: 'exhausted', lines: ['exhausted', 'kept for 30 days'] },
  ],
  arrows: [
    arrow('change', 'event'),
    arrow('event', 'delivery'),
    dashed('delivery', 'post', 'a worker takes it'),
    dashed('post', 'done', '2xx'),
    dashed('post', 'wait', 'anything else'),
    dashed('wait', 'post', 'retry time reached'),
    dashed('wait', 'exhausted', 'no attempts left'),
    arrow('exhausted', 'delivery', 'resend, or recover'),
  ],
}

const processes: Graph = {
  title: 'Processes and their connections',
  description:
    'api processes answer requests, and worker processes run due work. Both use PostgreSQL, which stores everything. NATS carries ids of due work to idle workers, and may lose them. Workers call providers and webhook receivers.',
  direction: 'down',
  boxes: [
    { id: 'you', lines: ['your server'] },
    { id: 'api', lines: ['api', 'any number'] },
    { id: 'worker', lines: ['worker', 'any number'] },
    { id: 'postgres', lines: ['PostgreSQL', 'all data'] },
    { id: 'nats', lines: ['NATS', 'ids, may be lost'] },
    { id: 'provider', lines: ['providers'] },
    { id: 'endpoint', lines: ['your endpoints'] },
  ],
  arrows: [
    arrow('you', 'api', 'requests'),
    arrow('api', 'postgres', 'commits'),
    dashed('api', 'nats', 'ids of due work'),
    dashed('nats', 'worker', 'ids'),
    arrow('worker', 'postgres', 'reads due work, commits'),
    arrow('api', 'provider', 'payments'),
    arrow('worker', 'provider', 'renewals, queries'),
    arrow('worker', 'endpoint', 'webhooks'),
  ],
}

/** By the name of the file. */
export const conceptGraphs: { readonly [file: string]: Graph } = {
  'objects.svg': objects,
  'making-a-payment.svg': payment,
  'deciding-a-route.svg': route,
  'delivering-an-event.svg': event,
  'processes.svg': processes,
}
