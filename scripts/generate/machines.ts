// Every life that is a table, for the page of states and its pictures.

import { apiTokenMachine } from '../../packages/server/src/domains/api-tokens/machine.ts'
import { checkoutSessionMachine } from '../../packages/server/src/domains/checkout-sessions/machine.ts'
import { deliveryMachine } from '../../packages/server/src/domains/deliveries/machine.ts'
import { dunningCampaignMachine } from '../../packages/server/src/domains/dunning-campaigns/machine.ts'
import { invoiceMachine } from '../../packages/server/src/domains/invoices/machine.ts'
import { paymentLinkMachine } from '../../packages/server/src/domains/payment-links/machine.ts'
import { paymentMethodMachine } from '../../packages/server/src/domains/payment-methods/machine.ts'
import { paymentRouteMachine } from '../../packages/server/src/domains/payment-routes/machine.ts'
import { paymentMachine } from '../../packages/server/src/domains/payments/machine.ts'
import { providerAccountMachine } from '../../packages/server/src/domains/provider-accounts/machine.ts'
import { routeSimulationMachine } from '../../packages/server/src/domains/route-simulations/machine.ts'
import { subscriptionMachine } from '../../packages/server/src/domains/subscriptions/machine.ts'
import { testClockMachine } from '../../packages/server/src/domains/test-clocks/machine.ts'
import { webhookEndpointMachine } from '../../packages/server/src/domains/webhook-endpoints/machine.ts'
import { webhookRecoveryMachine } from '../../packages/server/src/domains/webhook-recoveries/machine.ts'
import { type Machine, toMarkdown } from '../../packages/server/src/kernel/machine.ts'

/** A machine whose words may be forgotten: it is drawn and printed, never run. */
export type DrawnMachine = Pick<Machine<string, string, never, string>, 'initial' | 'actions'> & {
  readonly rows: readonly {
    readonly from: string
    readonly on: string
    readonly when?: { readonly name: string }
    readonly to: string
    readonly effects: readonly string[]
  }[]
}

type Life = {
  readonly title: string
  readonly machine: DrawnMachine
  readonly table: string
  /** What the table does not say. */
  readonly note?: string
}

function life<Status extends string, Trigger extends string, Facts, Effect extends string>(
  title: string,
  machine: Machine<Status, Trigger, Facts, Effect>,
  note?: string,
): Life {
  const drawn = machine as unknown as DrawnMachine
  return { title, machine: drawn, table: toMarkdown(machine), ...(note === undefined ? {} : { note }) }
}

export const lives: readonly Life[] = [
  life('API token', apiTokenMachine),
  life('Payment', paymentMachine),
  life('Payment method', paymentMethodMachine),
  life('Provider account', providerAccountMachine),
  life('Payment route', paymentRouteMachine),
  life('Route simulation', routeSimulationMachine),
  life('Invoice', invoiceMachine),
  life('Subscription', subscriptionMachine),
  life('Dunning campaign', dunningCampaignMachine),
  life('Payment link', paymentLinkMachine),
  life('Checkout session', checkoutSessionMachine),
  life('Webhook endpoint', webhookEndpointMachine),
  life('Delivery', deliveryMachine, 'An event for an endpoint that is disabled begins as `held`.'),
  life('Test clock', testClockMachine),
  life('Webhook recovery', webhookRecoveryMachine),
]

export const pictureOf = (title: string) => `${title.toLowerCase().replaceAll(' ', '-')}.svg`
