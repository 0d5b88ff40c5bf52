/**
 * Introductory descriptions of the resources, for the OpenAPI document and the reference, by area. The areas are
 * the folders of `domains`, and this is the order in which every list of operations shows them.
 */
import type { Area } from './platform/http/openapi-tags.ts'

export const areas: readonly Area[] = [
  {
    title: 'Access',
    resources: {
      workspace:
        'A workspace is a separate environment for payments, customers and settings, either live or test. Each API token belongs to one workspace, and every call applies to that workspace.',
      people:
        'People use the dashboard. They belong to your organization and have the same role in all of its workspaces.',
      invitations: 'An invitation lets a person join your organization with a link that can be used once.',
      me: 'The credential used for the call: its workspace and its permissions.',
      api_tokens:
        'An API token authenticates your server or web page. Secret tokens have a role; publishable tokens are safe to use in the browser.',
      audit_entries:
        'The audit log records admin actions: who did what to which object, and when. Entries cannot be changed or deleted.',
      requests:
        'Your API requests of the last 30 days, with request and response bodies. Personal data is redacted.',
    },
  },
  {
    title: 'Payments',
    resources: {
      customers:
        'A customer is a person or company that pays you. Payment methods, subscriptions and invoices belong to a customer.',
      payment_methods:
        'A payment method is a saved card that can be charged again. It can be charged once it is attached to a customer.',
      tokens:
        'A card token represents a card that a payer entered, so that your server never handles the card number. It can be used once, within 15 minutes.',
      vault:
        'The vault stores card numbers. In the live environment it accepts them only after you have confirmed the compliance statement.',
      payments:
        'A payment is a charge to a payer, with all attempts to collect it. Provider accounts are tried one at a time.',
      refunds:
        'A refund returns all or part of a captured payment, through the provider account that captured it.',
      disputes:
        'A dispute is a cardholder’s claim, made with their bank, to get the amount of a payment back. Providers report disputes; the bank decides them.',
      files: 'A file is a document that is evidence for a dispute, such as a receipt or a proof of delivery.',
      payment_links:
        'A payment link is a hosted payment page with a shareable URL, which can be paid once or several times.',
      checkout_sessions:
        "A checkout session is one payer's checkout: what to pay, the payment page and the result.",
      public_checkout_sessions:
        'The public view of a checkout session, for payment pages that use a publishable API token and the client secret of the session.',
      mails:
        'E-mails to payers, such as receipts and notices about failed payments. Each is created together with the change that it is about, and sent afterwards.',
      mail_settings:
        'The e-mail settings of a workspace: sender name, address for replies, and which kinds of e-mails are sent.',
    },
  },
  {
    title: 'Routing',
    resources: {
      providers:
        'A provider is a payment service that you can have accounts with. The list describes what each one needs and supports.',
      provider_accounts:
        'A provider account is your account with a payment provider. Payments are sent to provider accounts in the order that a route determines.',
      payment_routes:
        'A payment route selects the provider account for a payment and the accounts to try if that one fails. A route has revisions, one of which is published.',
      route_simulations:
        'A simulation shows what a revision of a route would have done differently with the payments of a period. No provider is called.',
    },
  },
  {
    title: 'Billing',
    resources: {
      products: 'A product is something that you sell. Its prices define what it costs.',
      prices:
        'A price defines what a product costs in one currency, as a one-time or recurring charge. Its terms cannot be changed.',
      coupons:
        'A coupon takes a percentage or an amount off invoices, for one, several or all periods. Its terms cannot be changed.',
      promotion_codes: 'A promotion code is what customers enter to redeem a coupon.',
      meters: 'A meter counts the usage of your service by customers, from the events that you send.',
      meter_events: 'A usage event states that a customer used your service. Each event is counted once.',
      usage_alerts:
        'A usage alert emits an event when the usage of a customer reaches a threshold in a period.',
      subscriptions:
        'A subscription bills prices every period until it is cancelled. Its status, its collection status and the access it grants are independent of each other.',
      invoices: 'An invoice states what a customer owes, line by line. It is collected by payments.',
      credit_notes:
        'A credit note reverses all or part of an invoice. It has a number of its own, and refers to the invoice.',
      seller:
        'The seller is your company as it appears on invoices: legal name, address, tax IDs, bank account and contact.',
      tax_provider:
        'The tax provider is your account at a service that computes tax and records it for tax returns.',
      tax_rates:
        'A tax rate is a percentage with its tax category. The percentage cannot be changed, because invoices refer to it.',
      tax_rules:
        'A tax rule selects the tax rate of an invoice line by country, customer type and tax code. The first rule that matches applies.',
      dunning_campaigns:
        'A dunning campaign is the series of retries to collect one invoice whose first charge failed.',
      dunning_policies:
        'A dunning policy defines when failed charges are retried, and what happens if every retry fails.',
      portal_sessions:
        'A portal session gives one customer access to the customer portal, where they see their subscriptions, cards and invoices, and change them.',
      portal_configuration: 'What customers can see and change in the customer portal.',
      cancellation_requests:
        'A cancellation request is a cancellation or withdrawal that a subscriber submitted on the public page, without signing in. It takes effect when the subscriber confirms it by e-mail, or when you accept it.',
      test_clocks:
        'A test clock lets you simulate time in the test environment. Customers on the clock, and their subscriptions, use its time.',
    },
  },
  {
    title: 'Webhooks',
    resources: {
      events:
        'An event records one change to one object. It is written in the same transaction as the change and is immutable.',
      event_types: 'The event types that a webhook endpoint can subscribe to.',
      webhook_endpoints: 'A webhook endpoint is a URL of your server that signed events are sent to.',
      deliveries: 'A delivery is one event that is sent to one webhook endpoint, with all its attempts.',
      webhook_recoveries: 'A recovery resends missed events to a webhook endpoint in the background.',
    },
  },
  {
    title: 'Finance',
    resources: {
      balances:
        'A balance is the sum of all postings to an account of the ledger: what providers hold for you, what customers owe, and what you owe.',
      ledger_postings:
        'A ledger posting records one movement of money: it debits one account and credits another with the same amount. Postings are never changed.',
      settlement_imports:
        'A settlement import reads a settlement report of a provider: a file that lists the payments, refunds and fees of its payouts.',
      settlement_lines:
        'A settlement line is one line of a settlement report, compared with the ledger. Captures and refunds that the provider has not settled in time are lines too.',
      reconciliation:
        'The reconciliation compares what providers have settled with what Switchyard has recorded.',
      payouts:
        'A payout is money that a provider sent to your bank account. Payouts are read from settlement reports.',
      exports:
        'An export is a file with the objects of a period, for spreadsheets, accounting and data warehouses. It is written in the background and stored for 7 days.',
      journal_settings:
        'The numbers and names of the accounts of the ledger in your accounting software, for exports of the journal.',
      export_destinations:
        'An export destination is a bucket of S3-compatible storage. The changes of each day are exported to it.',
      reports: 'Reports on payments and recurring billing, updated continuously.',
    },
  },
  {
    title: 'Workspace',
    resources: {
      search: 'Finds objects by ID, name, email address, order number or provider reference.',
      attention: 'Current issues that need attention, most severe first.',
      system: 'Results of the installation checks, the same as those of the `doctor` command.',
    },
  },
]
