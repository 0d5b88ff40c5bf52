// The event handler that all receivers in this folder share.

import { webhookHandler } from '@switchyard/sdk'

export const receive = (secret: string | undefined) =>
  webhookHandler({
    secret,
    // Events are delivered at least once. This set is lost at a restart, and an event whose effect happened
    // just before a crash is handled again: in production, write the id and the effect in one transaction, as
    // examples/shop does, and keep ids for 30 days.
    seen: new Set<string>(),
    on: {
      'customer.created': (event) => console.log('new customer:', event.content.object.email),
      'payment.succeeded': (event) => console.log('paid:', event.content.object.amount_captured),
    },
    otherwise: (event) => console.log(event.type, event.id),
  })
