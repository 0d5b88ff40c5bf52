import * as billing from './billing.ts'
import * as checkout from './checkout.ts'
import * as dunning from './dunning.ts'
import { paymentRoutesOf } from './payment-routes.ts'
import * as payments from './payments.ts'
import { invitationsOf, peopleOf } from './people.ts'
import * as reports from './reports.ts'
import * as resources from './resources.ts'
import { createSend } from './send.ts'
import { type SwitchyardOptions, settingsOf } from './settings.ts'
import { createFollow } from './stream.ts'
import * as subscriptions from './subscriptions.ts'
import { webhookHandler } from './webhook-handler.ts'
import { signWebhook, verifyWebhook } from './webhooks.ts'

/**
 * A client of one workspace. It holds no connection and no state, so one per process is enough. The token
 * lives in a closure: neither logs nor debuggers that print the client show it.
 */
export class Switchyard {
  readonly baseUrl: string
  readonly version: string
  readonly workspace: ReturnType<typeof resources.workspaceOf>
  readonly me: ReturnType<typeof resources.meOf>
  readonly people: ReturnType<typeof peopleOf>
  readonly invitations: ReturnType<typeof invitationsOf>
  readonly apiTokens: ReturnType<typeof resources.apiTokensOf>
  readonly auditEntries: ReturnType<typeof resources.auditEntriesOf>
  readonly requests: ReturnType<typeof resources.requestsOf>
  readonly webhookEndpoints: ReturnType<typeof resources.webhookEndpointsOf>
  readonly deliveries: ReturnType<typeof resources.deliveriesOf>
  readonly testClocks: ReturnType<typeof resources.testClocksOf>
  readonly customers: ReturnType<typeof resources.customersOf>
  readonly tokens: ReturnType<typeof resources.tokensOf>
  readonly vault: ReturnType<typeof resources.vaultOf>
  readonly providerAccounts: ReturnType<typeof resources.providerAccountsOf>
  readonly paymentRoutes: ReturnType<typeof paymentRoutesOf>
  readonly paymentMethods: ReturnType<typeof payments.paymentMethodsOf>
  readonly payments: ReturnType<typeof payments.paymentsOf>
  readonly refunds: ReturnType<typeof payments.refundsOf>
  readonly products: ReturnType<typeof billing.productsOf>
  readonly prices: ReturnType<typeof billing.pricesOf>
  readonly invoices: ReturnType<typeof billing.invoicesOf>
  readonly subscriptions: ReturnType<typeof subscriptions.subscriptionsOf>
  readonly dunningPolicies: ReturnType<typeof dunning.dunningPoliciesOf>
  readonly dunningCampaigns: ReturnType<typeof dunning.dunningCampaignsOf>
  readonly paymentLinks: ReturnType<typeof checkout.paymentLinksOf>
  readonly checkoutSessions: ReturnType<typeof checkout.checkoutSessionsOf>
  readonly events: ReturnType<typeof resources.eventsOf>
  readonly eventTypes: ReturnType<typeof resources.eventTypesOf>
  readonly search: ReturnType<typeof reports.searchOf>
  readonly attention: ReturnType<typeof reports.attentionOf>
  readonly reports: ReturnType<typeof reports.reportsOf>
  readonly system: ReturnType<typeof reports.systemOf>
  /** What receivers need. It calls nobody: `verifyWebhook`, `webhookHandler` and `signWebhook` need no token. */
  readonly webhooks = { verify: verifyWebhook, handler: webhookHandler, sign: signWebhook }

  constructor(options: SwitchyardOptions) {
    const settings = settingsOf(options)
    const send = createSend(settings)
    this.baseUrl = settings.baseUrl
    this.version = settings.version
    this.workspace = resources.workspaceOf(send)
    this.me = resources.meOf(send)
    this.people = peopleOf(send)
    this.invitations = invitationsOf(send)
    this.apiTokens = resources.apiTokensOf(send)
    this.auditEntries = resources.auditEntriesOf(send)
    this.requests = resources.requestsOf(send)
    this.webhookEndpoints = resources.webhookEndpointsOf(send)
    this.deliveries = resources.deliveriesOf(send)
    this.testClocks = resources.testClocksOf(send)
    this.customers = resources.customersOf(send)
    this.tokens = resources.tokensOf(send)
    this.vault = resources.vaultOf(send)
    this.providerAccounts = resources.providerAccountsOf(send)
    this.paymentRoutes = paymentRoutesOf(send)
    this.paymentMethods = payments.paymentMethodsOf(send)
    this.payments = payments.paymentsOf(send)
    this.refunds = payments.refundsOf(send)
    this.products = billing.productsOf(send)
    this.prices = billing.pricesOf(send)
    this.invoices = billing.invoicesOf(send)
    this.subscriptions = subscriptions.subscriptionsOf(send)
    this.dunningPolicies = dunning.dunningPoliciesOf(send)
    this.dunningCampaigns = dunning.dunningCampaignsOf(send)
    this.paymentLinks = checkout.paymentLinksOf(send)
    this.checkoutSessions = checkout.checkoutSessionsOf(send)
    this.events = resources.eventsOf(send, createFollow(settings))
    this.eventTypes = resources.eventTypesOf(send)
    this.search = reports.searchOf(send)
    this.attention = reports.attentionOf(send)
    this.reports = reports.reportsOf(send)
    this.system = reports.systemOf(send)
  }

  toJSON(): { baseUrl: string; version: string; token: string } {
    return { baseUrl: this.baseUrl, version: this.version, token: '(hidden)' }
  }

  /** What `console.log` shows. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Switchyard ${JSON.stringify(this)}`
  }
}
