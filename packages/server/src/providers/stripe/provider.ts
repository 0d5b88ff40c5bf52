/**
 * The Stripe connector: PaymentIntents for SEPA debits, iDEAL, Bancontact, cards that Stripe has tokenized,
 * and, if Stripe has enabled them for the account, card numbers. For 24 hours Stripe returns the first
 * response to a repeated request, even if that was a server error; then only a lookup can determine the
 * result.
 */
import type { Capabilities, ConnectorConfig, Provider, Resolution } from '../contract.ts'
import { bancontact, ideal, operationKinds, publicSetting, sepaDebit } from '../contract.ts'
import { currencies } from './currencies.ts'
import { disputes } from './disputes.ts'
import { list, pageIn } from './list.ts'
import {
  authorize,
  capture,
  close,
  createCustomer,
  detach,
  lookUp,
  needsCustomer,
  probe,
  refund,
  verify,
  voidAuthorization,
} from './request.ts'
import {
  closedOrFound,
  completedIn,
  createdCustomer,
  credentialCheck,
  foundByLookup,
  isForgotten,
  outcomeIn,
} from './response.ts'
import { setup } from './setup.ts'
import { eventsIn, verifySignature } from './webhooks.ts'
import { Config } from './wire.ts'

const capabilities: Capabilities = {
  kinds: operationKinds,
  brands: 'all',
  currencies,
  countries: 'all',
  // The limits depend on the currency and on the card brand. Stripe rejects other amounts without processing them.
  amount: null,
  manualCapture: true,
  multiCapture: true,
  partialRefund: true,
  threeDSecure: true,
  offSession: true,
  methods: { sepa_debit: sepaDebit, ideal, bancontact },
}

const resolve: Resolution = {
  // Keys are stored for at least 24 hours. The last hour is a margin for a call that arrives late.
  replayHours: 23,
  lookup: 'reference',
  close: true,
  // The search index is up to an hour behind during an outage. After a server error, Stripe may complete or undo the
  // operation even later, so “not found” is conclusive only after two more days.
  absentIsFinalAfterMinutes: 2 * 24 * 60,
  // A webhook about a cancelled PaymentIntent does not identify the void that cancelled it.
  webhook: false,
  completedByUs: false,
}

export const stripe: Provider<ConnectorConfig> = {
  id: 'stripe',
  config: Config,
  capabilities,
  resolve,
  setup,
  fields: { component: 'stripe', publicConfig: publicSetting('publishable_key') },
  operations: {
    verify: { build: verify, parse: outcomeIn },
    authorize: { build: authorize, parse: outcomeIn },
    capture: { build: capture, parse: outcomeIn },
    void: { build: voidAuthorization, parse: outcomeIn },
    refund: { build: refund, parse: outcomeIn },
  },
  complete: { build: lookUp, parse: completedIn },
  lookup: { build: lookUp, parse: foundByLookup },
  close: { build: close, parse: closedOrFound },
  list: { build: list, parse: pageIn },
  health: { build: (_, context) => probe(context), parse: ({ status }) => status === 200 },
  check: { build: (_, context) => probe(context), parse: credentialCheck },
  customers: { isNeeded: needsCustomer, create: { build: createCustomer, parse: createdCustomer } },
  forget: { build: detach, parse: isForgotten },
  disputes,
  webhooks: { signature: 'time', verify: verifySignature, parse: eventsIn },
  // Multicapture depends on the pricing plan. How Stripe treats the request on other accounts is not documented.
  narrow: ({ settings }) => ({
    capabilities: { ...capabilities, multiCapture: settings.request_multicapture === 'if_available' },
    resolve,
  }),
}
