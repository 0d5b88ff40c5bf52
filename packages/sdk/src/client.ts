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
  /** The address that is called. */
  readonly baseUrl: string
  /** The version of the API that is asked for. */
  readonly version: string
  /** The workspace that the token belongs to: its name, its version, its branding. */
  readonly workspace: ReturnType<typeof resources.workspaceOf>
  /** What the token is and may do. */
  readonly me: ReturnType<typeof resources.meOf>
  /** People of your organization, who sign in to the dashboard. */
  readonly people: ReturnType<typeof peopleOf>
  /** How people come in. */
  readonly invitations: ReturnType<typeof invitationsOf>
  /** Tokens of the workspace, such as the one of this client. */
  readonly apiTokens: ReturnType<typeof resources.apiTokensOf>
  /** Privileged acts: who did what, and when. */
  readonly auditEntries: ReturnType<typeof resources.auditEntriesOf>
  /** The log of your calls. */
  readonly requests: ReturnType<typeof resources.requestsOf>
  /** Where events are sent to, with their secrets and what they missed. */
  readonly webhookEndpoints: ReturnType<typeof resources.webhookEndpointsOf>
  /** What was sent to an endpoint, and what it answered. */
  readonly deliveries: ReturnType<typeof resources.deliveriesOf>
  /** Time that you move yourself, in the test environment. */
  readonly testClocks: ReturnType<typeof resources.testClocksOf>
  /** Who pays. */
  readonly customers: ReturnType<typeof resources.customersOf>
  /** Cards for one use, made in a page. */
  readonly tokens: ReturnType<typeof resources.tokensOf>
  /** Whether the workspace takes card numbers itself. */
  readonly vault: ReturnType<typeof resources.vaultOf>
  /** Your accounts with providers, which payments are sent to. */
  readonly providerAccounts: ReturnType<typeof resources.providerAccountsOf>
  /** Rules that say which account a payment is sent to. */
  readonly paymentRoutes: ReturnType<typeof paymentRoutesOf>
  /** Cards that are kept, for customers who come again. */
  readonly paymentMethods: ReturnType<typeof payments.paymentMethodsOf>
  /** Money that is taken: create, capture, cancel, and why it went as it did. */
  readonly payments: ReturnType<typeof payments.paymentsOf>
  /** Money that is given back. */
  readonly refunds: ReturnType<typeof payments.refundsOf>
  /** What is sold. */
  readonly products: ReturnType<typeof billing.productsOf>
  /** What it costs, once or again and again. */
  readonly prices: ReturnType<typeof billing.pricesOf>
  /** What is owed, with the arithmetic of each line. */
  readonly invoices: ReturnType<typeof billing.invoicesOf>
  /** What a customer is billed for again and again. */
  readonly subscriptions: ReturnType<typeof subscriptions.subscriptionsOf>
  /** What happens when an invoice is not paid. */
  readonly dunningPolicies: ReturnType<typeof dunning.dunningPoliciesOf>
  /** The tries to collect one invoice. */
  readonly dunningCampaigns: ReturnType<typeof dunning.dunningCampaignsOf>
  /** Addresses at which somebody can pay, to be sent around. */
  readonly paymentLinks: ReturnType<typeof checkout.paymentLinksOf>
  /** One visit of one payer: on our page, or on one of yours. */
  readonly checkoutSessions: ReturnType<typeof checkout.checkoutSessionsOf>
  /** What happened. `stream` follows it; `webhookHandler` receives it. */
  readonly events: ReturnType<typeof resources.eventsOf>
  /** Every type of event that the server knows. */
  readonly eventTypes: ReturnType<typeof resources.eventTypesOf>
  /** Finds objects by what you know of them: an id, an order, an e-mail address, `4242 40.00`. */
  readonly search: ReturnType<typeof reports.searchOf>
  /** What needs a person. */
  readonly attention: ReturnType<typeof reports.attentionOf>
  /** Figures over time, of payments and of billing. */
  readonly reports: ReturnType<typeof reports.reportsOf>
  /** How the installation fares. */
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

  /** What JSON has of it: never the token. */
  toJSON(): { baseUrl: string; version: string; token: string } {
    return { baseUrl: this.baseUrl, version: this.version, token: '(hidden)' }
  }

  /** What `console.log` shows. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Switchyard ${JSON.stringify(this)}`
  }
}
