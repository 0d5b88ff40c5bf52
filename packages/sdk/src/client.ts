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
import * as settlement from './settlement.ts'
import { createEventStream } from './stream.ts'
import * as subscriptions from './subscriptions.ts'
import { webhookHandler } from './webhook-handler.ts'
import { signWebhook, verifyWebhook } from './webhooks.ts'

/**
 * A client for one workspace. It has no connections and no state, so one per process is enough. The token is kept in
 * a closure, so that logging or inspecting the client does not show it.
 */
export class Switchyard {
  /** The base URL of the API. */
  readonly baseUrl: string
  /** The API version that is sent with each request. */
  readonly version: string
  /** The workspace of the token: its name, API version and branding. */
  declare readonly workspace: ReturnType<typeof resources.workspaceOf>
  /** The people of your organization who can sign in to the dashboard. */
  declare readonly people: ReturnType<typeof peopleOf>
  /** Invitations to the dashboard. */
  declare readonly invitations: ReturnType<typeof invitationsOf>
  /** The identity and permissions of the token. */
  declare readonly me: ReturnType<typeof resources.meOf>
  /** API tokens of the workspace. */
  declare readonly apiTokens: ReturnType<typeof resources.apiTokensOf>
  /** Audit log of admin actions: who did what, and when. */
  declare readonly auditEntries: ReturnType<typeof resources.auditEntriesOf>
  /** The log of your API requests. */
  declare readonly requests: ReturnType<typeof resources.requestsOf>
  /** The people and companies who pay you. */
  declare readonly customers: ReturnType<typeof resources.customersOf>
  /** Saved cards of customers. */
  declare readonly paymentMethods: ReturnType<typeof payments.paymentMethodsOf>
  /** Single-use card tokens, created in the browser. */
  declare readonly tokens: ReturnType<typeof resources.tokensOf>
  /** Whether the workspace accepts raw card numbers. */
  declare readonly vault: ReturnType<typeof resources.vaultOf>
  /** Payments: create, capture, cancel, and inspect what happened. */
  declare readonly payments: ReturnType<typeof payments.paymentsOf>
  /** Refunds of payments. */
  declare readonly refunds: ReturnType<typeof payments.refundsOf>
  /** Disputes that cardholders have opened with their bank. */
  declare readonly disputes: ReturnType<typeof payments.disputesOf>
  /** Documents that are evidence for disputes. */
  declare readonly files: ReturnType<typeof payments.filesOf>
  /** E-mails to payers. */
  declare readonly mails: ReturnType<typeof checkout.mailsOf>
  /** The sender of e-mails, and which kinds are sent. */
  declare readonly mailSettings: ReturnType<typeof checkout.mailSettingsOf>
  /** Customers’ access to the customer portal. */
  declare readonly portalSessions: ReturnType<typeof checkout.portalSessionsOf>
  /** Cancellations and withdrawals that subscribers submitted on the public page. */
  declare readonly cancellationRequests: ReturnType<typeof checkout.cancellationRequestsOf>
  /** What customers can do in the customer portal. */
  declare readonly portalConfiguration: ReturnType<typeof checkout.portalConfigurationOf>
  /** Shareable URLs of hosted payment pages. */
  declare readonly paymentLinks: ReturnType<typeof checkout.paymentLinksOf>
  /** Checkouts of one payer, on the hosted page or on your own page. */
  declare readonly checkoutSessions: ReturnType<typeof checkout.checkoutSessionsOf>
  /** The payment providers that you can have accounts with. */
  declare readonly providers: ReturnType<typeof resources.providersOf>
  /** Your accounts with payment providers. */
  declare readonly providerAccounts: ReturnType<typeof resources.providerAccountsOf>
  /** Routing rules that choose the provider account for a payment. */
  declare readonly paymentRoutes: ReturnType<typeof paymentRoutesOf>
  /** The products you sell. */
  declare readonly products: ReturnType<typeof billing.productsOf>
  /** One-time and recurring prices of products. */
  declare readonly prices: ReturnType<typeof billing.pricesOf>
  /** Percentage or fixed-amount discounts on invoices. */
  declare readonly coupons: ReturnType<typeof billing.couponsOf>
  /** Codes with which customers redeem coupons. */
  declare readonly promotionCodes: ReturnType<typeof billing.promotionCodesOf>
  /** Meters, and the usage that they have counted. */
  declare readonly meters: ReturnType<typeof billing.metersOf>
  /** Usage events of customers. */
  declare readonly meterEvents: ReturnType<typeof billing.meterEventsOf>
  /** Events when usage reaches thresholds. */
  declare readonly usageAlerts: ReturnType<typeof billing.usageAlertsOf>
  /** Recurring billing of customers. */
  declare readonly subscriptions: ReturnType<typeof subscriptions.subscriptionsOf>
  /** Invoices, with the calculation of each line. */
  declare readonly invoices: ReturnType<typeof billing.invoicesOf>
  /** Documents that reverse all or part of an invoice. */
  declare readonly creditNotes: ReturnType<typeof billing.creditNotesOf>
  /** Your company as it appears on invoices. */
  declare readonly seller: ReturnType<typeof billing.sellerOf>
  /** The account at a service that computes and records tax. */
  declare readonly taxProvider: ReturnType<typeof billing.taxProviderOf>
  /** Tax rates, whose percentage never changes. */
  declare readonly taxRates: ReturnType<typeof billing.taxRatesOf>
  /** Rules that select the tax rate of a line. */
  declare readonly taxRules: ReturnType<typeof billing.taxRulesOf>
  /** The retries of one unpaid invoice. */
  declare readonly dunningCampaigns: ReturnType<typeof dunning.dunningCampaignsOf>
  /** Retry schedules for unpaid invoices, and what happens after the last retry. */
  declare readonly dunningPolicies: ReturnType<typeof dunning.dunningPoliciesOf>
  /** Test clocks: simulated time for billing in test mode. */
  declare readonly testClocks: ReturnType<typeof resources.testClocksOf>
  /** Events. `stream` follows them; `webhookHandler` receives them as webhooks. */
  declare readonly events: ReturnType<typeof resources.eventsOf>
  /** Every event type of the server. */
  declare readonly eventTypes: ReturnType<typeof resources.eventTypesOf>
  /** Webhook endpoints: where events are sent, their secrets, and recovery of missed events. */
  declare readonly webhookEndpoints: ReturnType<typeof resources.webhookEndpointsOf>
  /** Deliveries to webhook endpoints, with their responses. */
  declare readonly deliveries: ReturnType<typeof resources.deliveriesOf>
  /** Balances of the accounts of the ledger. */
  declare readonly balances: ReturnType<typeof reports.balancesOf>
  /** Movements of money between the accounts of the ledger. */
  declare readonly ledgerPostings: ReturnType<typeof reports.ledgerPostingsOf>
  /** Files with the objects of a period, for accounting and data warehouses. */
  declare readonly exports: ReturnType<typeof reports.exportsOf>
  /** Buckets to which each day's changes are exported. */
  declare readonly exportDestinations: ReturnType<typeof reports.exportDestinationsOf>
  /** Imports of settlement reports. */
  declare readonly settlementImports: ReturnType<typeof settlement.settlementImportsOf>
  /** Lines of settlement reports, compared with the ledger. */
  declare readonly settlementLines: ReturnType<typeof settlement.settlementLinesOf>
  /** How many settlement lines match, differ or are missing. */
  declare readonly reconciliation: ReturnType<typeof settlement.reconciliationOf>
  /** Payouts of providers to your bank account. */
  declare readonly payouts: ReturnType<typeof settlement.payoutsOf>
  /** What the accounts of the ledger are called in your accounting software. */
  declare readonly journalSettings: ReturnType<typeof reports.journalSettingsOf>
  /** Reports on payments and billing. */
  declare readonly reports: ReturnType<typeof reports.reportsOf>
  /** Searches objects by id, order number, e-mail address, or card and amount such as `4242 40.00`. */
  declare readonly search: ReturnType<typeof reports.searchOf>
  /** Objects that need attention. */
  declare readonly attention: ReturnType<typeof reports.attentionOf>
  /** Health checks of the installation. */
  declare readonly system: ReturnType<typeof reports.systemOf>
  /** Functions for webhook receivers. They make no API calls; import them directly to use them without a token. */
  readonly webhooks = { verify: verifyWebhook, handler: webhookHandler, sign: signWebhook }

  constructor(options: SwitchyardOptions) {
    const settings = settingsOf(options)
    const send = createSend(settings)
    this.baseUrl = settings.baseUrl
    this.version = settings.version
    this.workspace = resources.workspaceOf(send)
    this.people = peopleOf(send)
    this.invitations = invitationsOf(send)
    this.me = resources.meOf(send)
    this.apiTokens = resources.apiTokensOf(send)
    this.auditEntries = resources.auditEntriesOf(send)
    this.requests = resources.requestsOf(send)
    this.customers = resources.customersOf(send)
    this.paymentMethods = payments.paymentMethodsOf(send)
    this.tokens = resources.tokensOf(send)
    this.vault = resources.vaultOf(send)
    this.payments = payments.paymentsOf(send)
    this.refunds = payments.refundsOf(send)
    this.disputes = payments.disputesOf(send)
    this.files = payments.filesOf(send)
    this.portalSessions = checkout.portalSessionsOf(send)
    this.cancellationRequests = checkout.cancellationRequestsOf(send)
    this.portalConfiguration = checkout.portalConfigurationOf(send)
    this.mails = checkout.mailsOf(send)
    this.mailSettings = checkout.mailSettingsOf(send)
    this.paymentLinks = checkout.paymentLinksOf(send)
    this.checkoutSessions = checkout.checkoutSessionsOf(send)
    this.providers = resources.providersOf(send)
    this.providerAccounts = resources.providerAccountsOf(send)
    this.paymentRoutes = paymentRoutesOf(send)
    Object.assign(this, billing.billingResources(send))
    this.subscriptions = subscriptions.subscriptionsOf(send)
    this.dunningCampaigns = dunning.dunningCampaignsOf(send)
    this.dunningPolicies = dunning.dunningPoliciesOf(send)
    this.testClocks = resources.testClocksOf(send)
    this.events = resources.eventsOf(send, createEventStream(settings))
    this.eventTypes = resources.eventTypesOf(send)
    this.webhookEndpoints = resources.webhookEndpointsOf(send)
    this.deliveries = resources.deliveriesOf(send)
    this.balances = reports.balancesOf(send)
    this.ledgerPostings = reports.ledgerPostingsOf(send)
    this.exports = reports.exportsOf(send)
    this.exportDestinations = reports.exportDestinationsOf(send)
    this.settlementImports = settlement.settlementImportsOf(send)
    this.settlementLines = settlement.settlementLinesOf(send)
    this.reconciliation = settlement.reconciliationOf(send)
    this.payouts = settlement.payoutsOf(send)
    this.journalSettings = reports.journalSettingsOf(send)
    this.reports = reports.reportsOf(send)
    this.search = reports.searchOf(send)
    this.attention = reports.attentionOf(send)
    this.system = reports.systemOf(send)
  }

  /** The JSON form of the client, without the token. */
  toJSON(): { baseUrl: string; version: string; token: string } {
    return { baseUrl: this.baseUrl, version: this.version, token: '(hidden)' }
  }

  /** What `console.log` shows. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Switchyard ${JSON.stringify(this)}`
  }
}
