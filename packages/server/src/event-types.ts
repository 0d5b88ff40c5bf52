/** Every type of event there is, for the reference, the OpenAPI document and `GET /event-types`. */
import { checkoutSessionEvents } from './domains/checkout-sessions/events.ts'
import { customerCreated, customerDeleted, customerUpdated } from './domains/customers/events.ts'
import { deliveryExhausted } from './domains/deliveries/events.ts'
import { dunningCampaignEvents } from './domains/dunning-campaigns/events.ts'
import { dunningPolicyEvents } from './domains/dunning-policies/events.ts'
import { invoiceEvents } from './domains/invoices/events.ts'
import { paymentLinkEvents } from './domains/payment-links/events.ts'
import { paymentMethodEvents } from './domains/payment-methods/events.ts'
import { paymentRouteEvents } from './domains/payment-routes/events.ts'
import { paymentEvents } from './domains/payments/events.ts'
import { productEvents } from './domains/products/events.ts'
import { providerAccountEvents } from './domains/provider-accounts/events.ts'
import { routeSimulationEvents } from './domains/route-simulations/events.ts'
import { subscriptionEvents } from './domains/subscriptions/events.ts'
import { testClockEvents } from './domains/test-clocks/events.ts'
import { webhookEndpointEvents } from './domains/webhook-endpoints/events.ts'
import type { EventSketch } from './platform/db/event-example.ts'

export const eventTypes: readonly EventSketch[] = [
  customerCreated,
  customerUpdated,
  customerDeleted,
  ...providerAccountEvents,
  ...paymentRouteEvents,
  ...routeSimulationEvents,
  ...paymentMethodEvents,
  ...paymentEvents,
  ...productEvents,
  ...invoiceEvents,
  ...subscriptionEvents,
  ...dunningPolicyEvents,
  ...dunningCampaignEvents,
  ...testClockEvents,
  ...paymentLinkEvents,
  ...checkoutSessionEvents,
  ...webhookEndpointEvents,
  deliveryExhausted,
]
