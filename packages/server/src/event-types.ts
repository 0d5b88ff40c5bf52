/** All event types, for the reference, the OpenAPI document and `GET /event-types`. */

import {
  cancellationRequestReceived,
  cancellationRequestUpdated,
} from './domains/billing/cancellation-requests/events.ts'
import { couponEvents } from './domains/billing/coupons/events.ts'
import { creditNoteEvents } from './domains/billing/credit-note-documents/events.ts'
import { discountEvents } from './domains/billing/discounts/events.ts'
import { dunningCampaignEvents } from './domains/billing/dunning-campaigns/events.ts'
import { dunningPolicyEvents } from './domains/billing/dunning-policies/events.ts'
import { invoiceEvents } from './domains/billing/invoices/events.ts'
import { productEvents } from './domains/billing/products/events.ts'
import { promotionCodeEvents } from './domains/billing/promotion-codes/events.ts'
import { subscriptionEvents } from './domains/billing/subscriptions/events.ts'
import { testClockEvents } from './domains/billing/test-clocks/events.ts'
import { usageAlertEvents } from './domains/billing/usage-alerts/events.ts'
import { exportEvents } from './domains/finance/exports/events.ts'
import { checkoutSessionEvents } from './domains/payments/checkout-sessions/events.ts'
import { customerCreated, customerDeleted, customerUpdated } from './domains/payments/customers/events.ts'
import { disputeEvents } from './domains/payments/disputes/events.ts'
import { mailBounced, mailComplained } from './domains/payments/mails/events.ts'
import { paymentLinkEvents } from './domains/payments/payment-links/events.ts'
import { paymentMethodEvents } from './domains/payments/payment-methods/events.ts'
import { paymentEvents } from './domains/payments/payments/events.ts'
import { paymentRouteEvents } from './domains/routing/payment-routes/events.ts'
import { providerAccountEvents } from './domains/routing/provider-accounts/events.ts'
import { routeSimulationEvents } from './domains/routing/route-simulations/events.ts'
import { deliveryExhausted } from './domains/webhooks/deliveries/events.ts'
import { webhookEndpointEvents } from './domains/webhooks/webhook-endpoints/events.ts'
import type { EventDescription } from './platform/db/event-example.ts'

export const eventTypes: readonly EventDescription[] = [
  customerCreated,
  customerUpdated,
  customerDeleted,
  mailBounced,
  mailComplained,
  ...providerAccountEvents,
  ...paymentRouteEvents,
  ...routeSimulationEvents,
  ...paymentMethodEvents,
  ...paymentEvents,
  ...disputeEvents,
  ...productEvents,
  ...couponEvents,
  ...promotionCodeEvents,
  ...discountEvents,
  ...usageAlertEvents,
  ...invoiceEvents,
  ...subscriptionEvents,
  cancellationRequestReceived,
  cancellationRequestUpdated,
  ...creditNoteEvents,
  ...dunningPolicyEvents,
  ...dunningCampaignEvents,
  ...testClockEvents,
  ...exportEvents,
  ...paymentLinkEvents,
  ...checkoutSessionEvents,
  ...webhookEndpointEvents,
  deliveryExhausted,
]
