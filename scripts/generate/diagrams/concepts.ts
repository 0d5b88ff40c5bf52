// Pictures of docs/concepts that no table holds: what there is, and in which order things happen.

import type { Arrow, Graph } from './graph.ts'

const arrow = (from: string, to: string, ...lines: string[]): Arrow =>
  lines.length === 0 ? { from, to } : { from, to, lines }
const later = (from: string, to: string, ...lines: string[]): Arrow => ({ from, to, lines, isDashed: true })

const objects: Graph = {
  title: 'What there is in a workspace',
  description:
    'A customer has payment methods and subscriptions. A subscription makes invoices, an invoice is collected by payments. A payment is sent by a route to provider accounts as attempts, and is given back by refunds. Every change of any of them is an event, which is delivered to endpoints.',
  direction: 'down',
  boxes: [
    { id: 'customer', lines: ['customer', 'who pays you'] },
    { id: 'method', lines: ['payment method', 'a card that is kept'] },
    { id: 'subscription', lines: ['subscription', 'what is billed again'] },
    { id: 'invoice', lines: ['invoice', 'what is owed'] },
    { id: 'payment', lines: ['payment', 'one amount'] },
    { id: 'route', lines: ['route', 'who is asked, and when'] },
    { id: 'attempt', lines: ['attempt', 'one account was asked'] },
    { id: 'refund', lines: ['refund', 'what goes back'] },
    { id: 'event', lines: ['event', 'one change of one object'] },
    { id: 'delivery', lines: ['delivery', 'an event on its way'] },
    { id: 'endpoint', lines: ['endpoint', 'an address of yours'] },
  ],
  arrows: [
    arrow('customer', 'method', 'has'),
    arrow('customer', 'subscription', 'has'),
    arrow('subscription', 'invoice', 'makes one each period'),
    arrow('invoice', 'payment', 'is collected by'),
    arrow('method', 'payment', 'pays'),
    arrow('route', 'payment', 'decides for'),
    arrow('payment', 'attempt', 'is tried by'),
    arrow('payment', 'refund', 'is given back by'),
    later('payment', 'event', 'every change tells'),
    arrow('event', 'delivery', 'one for each endpoint'),
    arrow('delivery', 'endpoint', 'is sent to'),
  ],
  legend: 'Every object tells of its changes, not the payment alone.',
}

const payment: Graph = {
  title: 'How a payment is made',
  description:
    'The request is checked, the route chooses an account, the intent is committed, then the provider is asked without a transaction. An answer is committed and told. Without an answer the outcome is unknown: the resolver asks the provider until it is known. A failure that proves that nothing was taken may go to the next account.',
  direction: 'down',
  boxes: [
    { id: 'request', lines: ['POST /payments', 'checked, key claimed'] },
    { id: 'route', lines: ['the route decides', 'accounts in order'] },
    { id: 'intend', lines: ['intend', 'attempt committed'] },
    { id: 'ask', lines: ['ask the provider', 'no transaction open'] },
    { id: 'record', lines: ['record', 'outcome and events committed'] },
    { id: 'unknown', lines: ['unknown', 'nobody else is asked'] },
    { id: 'resolve', lines: ['resolve', 'look, repeat or close'] },
    { id: 'answer', lines: ['answer', '201, 202 or 402'], kind: 'end' },
  ],
  arrows: [
    arrow('request', 'route'),
    arrow('route', 'intend'),
    arrow('intend', 'ask'),
    arrow('ask', 'record', 'an answer that proves something'),
    later('ask', 'unknown', 'silence, or half an answer'),
    later('unknown', 'resolve', 'a worker, again and again'),
    later('resolve', 'record', 'it is known now'),
    arrow('record', 'intend', 'proven failure,', 'another account may be asked'),
    arrow('record', 'answer', 'approved, declined, or the last account'),
  ],
}

const route: Graph = {
  title: 'How a route decides',
  description:
    'Rules are asked in order and the first that matches decides, else the default. Its action gives accounts in order, by priority, by lot or by what they approve. Those that cannot take the payment are left out; those that fail at the moment go last. The first is asked; after a failure that proves nothing was taken, the next.',
  direction: 'down',
  boxes: [
    { id: 'payment', lines: ['a payment', 'amount, currency, card, ...'] },
    { id: 'rules', lines: ['rules, in order', 'the first that matches'] },
    { id: 'default', lines: ['default'] },
    { id: 'action', lines: ['action', 'priority, split or decline'] },
    { id: 'able', lines: ['who can take it', 'currency, brand, amount, hold'] },
    { id: 'order', lines: ['the order', 'failing accounts last'] },
    { id: 'ask', lines: ['the first one', 'is asked'] },
    { id: 'end', lines: ['the payment ends'], kind: 'end' },
  ],
  arrows: [
    arrow('payment', 'rules'),
    arrow('rules', 'action', 'one matches'),
    arrow('rules', 'default', 'none matches'),
    arrow('default', 'action'),
    arrow('action', 'able'),
    arrow('able', 'order'),
    arrow('order', 'ask', 'ask'),
    arrow('ask', 'order', 'it failed, and nothing was taken:', 'the next one'),
    arrow('ask', 'end', 'approved, refused for good,', 'or not known'),
  ],
}

const event: Graph = {
  title: 'How an event reaches you',
  description:
    'A change and its event are one commit, with a delivery for each endpoint that asks for the type. A worker sends it, signed. A 2xx ends it. Anything else is tried again, later and later, until it is exhausted. Exhausted and held deliveries can be sent again for 30 days.',
  direction: 'down',
  boxes: [
    { id: 'change', lines: ['a change', 'in one transaction'] },
    { id: 'event', lines: ['event', 'written in the same commit'] },
    { id: 'delivery', lines: ['delivery', 'one for each endpoint'] },
    { id: 'post', lines: ['POST to you', 'signed, up to 15 s'] },
    { id: 'done', lines: ['delivered'], kind: 'end' },
    { id: 'wait', lines: ['waits', '5 s, 30 s, 2 min, ...'] },
    { id: 'exhausted', lines: ['exhausted', 'kept for 30 days'] },
  ],
  arrows: [
    arrow('change', 'event'),
    arrow('event', 'delivery'),
    later('delivery', 'post', 'a worker takes it'),
    later('post', 'done', '2xx'),
    later('post', 'wait', 'anything else'),
    later('wait', 'post', 'its time has come'),
    later('wait', 'exhausted', 'no attempts left'),
    arrow('exhausted', 'delivery', 'resend, or recover'),
  ],
}

const processes: Graph = {
  title: 'What runs, and who speaks to whom',
  description:
    'Processes of the kind api answer requests, processes of the kind worker do what is due. Both speak to PostgreSQL, which holds everything. NATS carries ids from whoever commits to whoever has a free hand, and may lose them. Workers speak to providers and receivers.',
  direction: 'down',
  boxes: [
    { id: 'you', lines: ['your server'] },
    { id: 'api', lines: ['api', 'as many as you like'] },
    { id: 'worker', lines: ['worker', 'as many as you like'] },
    { id: 'postgres', lines: ['PostgreSQL', 'the truth'] },
    { id: 'nats', lines: ['NATS', 'hints that may be lost'] },
    { id: 'provider', lines: ['providers'] },
    { id: 'endpoint', lines: ['your endpoints'] },
  ],
  arrows: [
    arrow('you', 'api', 'requests'),
    arrow('api', 'postgres', 'commits'),
    later('api', 'nats', 'ids of what is due'),
    later('nats', 'worker', 'ids'),
    arrow('worker', 'postgres', 'reads what is due, commits'),
    arrow('api', 'provider', 'payments'),
    arrow('worker', 'provider', 'renewals, looks'),
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
