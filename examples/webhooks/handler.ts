// What all receivers beside this file have in common: what is done with each event.

import { webhookHandler } from '@switchyard/sdk'

export const receive = (secret: string | undefined) =>
  webhookHandler({
    secret,
    // Events come at least once. This set forgets at a restart, and an id that is added after the effect does not help
    // whoever is killed in between: in production write the id and the effect in one transaction, as the shop beside
    // this folder does, and keep ids for 30 days.
    seen: new Set<string>(),
    on: {
      'customer.created': (event) => console.log('new customer:', event.content.object.email),
      'payment.succeeded': (event) => console.log('paid:', event.content.object.amount_captured),
    },
    otherwise: (event) => console.log(event.type, event.id),
  })
