// All state machines, for the page of states and its diagrams.

import { apiTokenMachine } from '../../packages/server/src/domains/access/api-tokens/machine.ts'
import { dunningCampaignMachine } from '../../packages/server/src/domains/billing/dunning-campaigns/machine.ts'
import { invoiceMachine } from '../../packages/server/src/domains/billing/invoices/machine.ts'
import { subscriptionMachine } from '../../packages/server/src/domains/billing/subscriptions/machine.ts'
import { testClockMachine } from '../../packages/server/src/domains/billing/test-clocks/machine.ts'
import { exportMachine } from '../../packages/server/src/domains/finance/exports/machine.ts'
import { checkoutSessionMachine } from '../../packages/server/src/domains/payments/checkout-sessions/machine.ts'
import { disputeMachine } from '../../packages/server/src/domains/payments/disputes/machine.ts'
import { paymentLinkMachine } from '../../packages/server/src/domains/payments/payment-links/machine.ts'
import { paymentMethodMachine } from '../../packages/server/src/domains/payments/payment-methods/machine.ts'
import { paymentMachine } from '../../packages/server/src/domains/payments/payments/machine.ts'
import { paymentRouteMachine } from '../../packages/server/src/domains/routing/payment-routes/machine.ts'
import { providerAccountMachine } from '../../packages/server/src/domains/routing/provider-accounts/machine.ts'
import { routeSimulationMachine } from '../../packages/server/src/domains/routing/route-simulations/machine.ts'
import { deliveryMachine } from '../../packages/server/src/domains/webhooks/deliveries/machine.ts'
import { webhookEndpointMachine } from '../../packages/server/src/domains/webhooks/webhook-endpoints/machine.ts'
import { webhookRecoveryMachine } from '../../packages/server/src/domains/webhooks/webhook-recoveries/machine.ts'
import { type Machine, toMarkdown } from '../../packages/server/src/kernel/machine.ts'

/** A machine without its literal types: it is rendered, never run. */
export type DiagramMachine = Pick<Machine<string, string, never, string>, 'initial' | 'actions'> & {
  readonly rows: readonly {
    readonly from: string
    readonly on: string
    readonly when?: { readonly name: string }
    readonly to: string
    readonly effects: readonly string[]
  }[]
}

type DocumentedMachine = {
  readonly title: string
  readonly machine: DiagramMachine
  readonly table: string
  /** A note that is not in the table. */
  readonly note?: string
}

function documented<Status extends string, Trigger extends string, Facts, Effect extends string>(
  title: string,
  machine: Machine<Status, Trigger, Facts, Effect>,
  note?: string,
): DocumentedMachine {
  const diagramMachine = machine as unknown as DiagramMachine
  return {
    title,
    machine: diagramMachine,
    table: toMarkdown(machine),
    ...(note === undefined ? {} : { note }),
  }
}

export const stateMachines: readonly DocumentedMachine[] = [
  documented('API token', apiTokenMachine),
  documented('Payment', paymentMachine),
  documented('Payment method', paymentMethodMachine),
  documented('Provider account', providerAccountMachine),
  documented('Payment route', paymentRouteMachine),
  documented('Route simulation', routeSimulationMachine),
  documented('Invoice', invoiceMachine),
  documented('Subscription', subscriptionMachine),
  documented('Dunning campaign', dunningCampaignMachine),
  documented(
    'Dispute',
    disputeMachine,
    'The provider decides a dispute: a deadline that has passed changes nothing. A report that contradicts an ended dispute is flagged for review.',
  ),
  documented('Export', exportMachine),
  documented('Payment link', paymentLinkMachine),
  documented('Checkout session', checkoutSessionMachine),
  documented('Webhook endpoint', webhookEndpointMachine),
  documented('Delivery', deliveryMachine, 'A delivery to a disabled endpoint starts as `held`.'),
  documented('Test clock', testClockMachine),
  documented('Webhook recovery', webhookRecoveryMachine),
]

export const diagramOf = (title: string) => `${title.toLowerCase().replaceAll(' ', '-')}.svg`
