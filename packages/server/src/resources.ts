/** What each resource of the API is, in words for those who meet it first: the document and the reference show them. */
import type { Resources } from './platform/http/openapi-tags.ts'

export const resources: Resources = {
  workspace:
    'A workspace is a place of its own for payments, customers and settings, live or test. A token belongs to one, and every call is about that one.',
  people:
    'People use the dashboard. They belong to your organization, and their role holds in all of its workspaces.',
  invitations: 'An invitation is how a person comes into your organization: a link that works once.',
  me: 'What the token that you call with belongs to, and what it may do.',
  api_tokens:
    'A token is what a server or a page proves itself with. Secret tokens have a role; publishable ones may stand in a page.',
  audit_entries:
    'The audit log tells of privileged acts: who did what to which object, and when. It can only grow.',
  requests:
    'Your calls of the API in the last 30 days, with what was sent and answered. Personal data is struck out.',
  test_clocks:
    'A test clock is moved by hand, in the test environment. Customers who live by it age with it, and so do their subscriptions.',
  customers:
    'A customer is somebody who pays you. Payment methods, subscriptions and invoices belong to one.',
  provider_accounts:
    'A provider account is your account at a payment provider. Payments are sent to it, in the order that a route decides.',
  payment_routes:
    'A payment route decides which provider account a payment is sent to, and who is asked when that one fails. It is saved in revisions, of which one is published.',
  route_simulations:
    'A simulation shows what a revision of a route would have done otherwise with all payments of a time. No provider is called.',
  tokens:
    'A token stands for a card that a payer typed, so that your server never sees the number. It is used once, within 15 minutes.',
  vault:
    'The vault keeps card numbers. In the live environment it takes them only after you have confirmed what that means.',
  payment_methods:
    'A payment method is a card that is kept, to be charged again. It pays when it is attached to a customer.',
  payments:
    'A payment is one amount that a payer owes you, and all that was tried to get it: attempts at provider accounts, one at a time.',
  refunds: 'A refund gives back what a payment took, or a part of it, through the account that took it.',
  products: 'A product is something that you sell. What it costs is said by its prices.',
  prices:
    'A price says what a product costs in one currency, once or again and again. Its money never changes.',
  invoices: 'An invoice says what a customer owes for a time, line by line, and is collected by payments.',
  subscriptions:
    'A subscription bills prices again and again, until somebody stops it. Its clock, what it owes and whether it gives access are three things.',
  dunning_policies:
    'A dunning policy says when a failed charge is tried again, and what happens if nothing helps.',
  dunning_campaigns: 'A dunning campaign is the tries to collect one invoice whose first charge failed.',
  payment_links: 'A payment link is an address at which somebody can pay, as often as you allow.',
  checkout_sessions:
    'A checkout session is one visit of one payer: what is to be paid, the page for it, and what came of it.',
  public_checkout_sessions:
    'A checkout session as the page of its payer uses it: with a publishable token and the secret of the session.',
  events:
    'An event tells of one change of one object. It is written with the change, and never changes itself.',
  event_types: 'The types of events that there are, for those who choose what an endpoint gets.',
  webhook_endpoints: 'A webhook endpoint is an address of yours to which events are sent, signed.',
  deliveries: 'A delivery is one event on its way to one endpoint, with every attempt.',
  webhook_recoveries: 'A recovery sends an endpoint what it missed, in the background.',
  search:
    'Finds objects by what you know of them: an id, an e-mail address, an order, a reference of a provider.',
  attention: 'What needs a person now, the worst first.',
  reports: 'Figures of payments and of recurring billing, counted as things happen.',
  system: 'What the checks of the installation say, the same as the command `doctor`.',
}
