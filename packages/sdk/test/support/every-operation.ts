// Calls every operation of the API once through the client, and keeps the responses.

import type { Operations, Switchyard } from '../../src/index.ts'

// The simulator always approves this card.
const card = { number: '4242 4242 4242 4242', exp_month: 12, exp_year: 2036, cvc: '123' }

export type Responses = { [Id in keyof Operations]: Operations[Id]['answer'] }

/** Functions that create objects that no API call creates directly, such as invoices of renewals. */
export type ObjectFactories = {
  readonly anInvoice: () => Promise<string>
  readonly aCampaign: () => Promise<string>
  readonly aDispute: (paymentId: string) => Promise<string>
  readonly anExport: () => Promise<string>
  readonly anEmail: () => Promise<string>
  readonly aCancellationRequest: () => Promise<string>
  readonly aPerson: () => Promise<{ readonly id: string }>
  readonly aSettlementLine: () => Promise<string>
}

export async function callEveryOperation(
  sy: Switchyard,
  flushRequestLog: () => Promise<void>,
  factories: ObjectFactories,
): Promise<Responses> {
  const workspace = await sy.workspace.get()
  const apiToken = await sy.apiTokens.create({ name: 'Shop server', role: 'DEVELOPER' })
  const rolled = await sy.apiTokens.roll(apiToken.id, { overlap_seconds: 0 })
  const customer = await sy.customers.create({
    name: 'Ada',
    email: 'ada@example.com',
    address: { country: 'GB' },
  })
  const change = { name: 'Ada Lovelace', metadata: { order: '4711' } }
  const changed = await sy.customers.update(customer.id, change)
  const retrieved = await sy.customers.get(customer.id)
  const listed = await sy.customers.list().page()
  const events = await sy.events.list({ object_id: customer.id }).page()
  await flushRequestLog()

  return {
    'workspace.get': workspace,
    'workspace.update': await sy.workspace.update({ name: 'Another name' }),
    ...(await callPeopleOperations(sy, factories)),
    'me.get': await sy.me.get(),
    'api_tokens.create': apiToken,
    'api_tokens.list': await sy.apiTokens.list().page(),
    'api_tokens.roll': rolled,
    'api_tokens.revoke': await sy.apiTokens.revoke(apiToken.id),
    'api_tokens.get': await sy.apiTokens.get(apiToken.id),
    'audit_entries.list': await sy.auditEntries.list().page(),
    'requests.list': await sy.requests.list().page(),
    'requests.get': await sy.requests.get(customer.$response.requestId ?? ''),
    ...(await callTestClockOperations(sy)),
    'mails.get': await sy.mails.get(await factories.anEmail()),
    'mails.list': await sy.mails.list().page(),
    ...(await callCancellationOperations(sy, factories)),
    'customers.create': customer,
    'customers.list': listed,
    'customers.get': retrieved,
    'customers.update': changed,
    ...(await callPages(sy, customer.id)),
    'customers.delete': await sy.customers.delete(customer.id),
    'events.get': await sy.events.get(events.data[0]?.id ?? ''),
    'events.list': events,
    'events.stream': await firstOf(sy.events.stream({ since: new Date(Date.now() - 60_000) })),
    'event_types.list': await sy.eventTypes.list().page(),
    ...(await callWebhookOperations(sy, events.data[0]?.id ?? '')),
    ...(await callProviderAccountOperations(sy)),
    ...(await callPaymentRouteOperations(sy)),
    ...(await callCardOperations(sy)),
    ...(await callPaymentMethodOperations(sy)),
    ...(await callPaymentOperations(sy, factories)),
    ...(await callExportOperations(sy, factories.anExport)),
    ...(await callProductOperations(sy)),
    ...(await callMeterOperations(sy)),
    ...(await callInvoiceOperations(sy, factories.anInvoice)),
    ...(await callDunningOperations(sy, factories.aCampaign)),
    ...(await callSubscriptionOperations(sy)),
    ...(await callPaymentLinkOperations(sy)),
    ...(await callCheckoutSessionOperations(sy)),
    'search.list': await sy.search('grace@example.com'),
    'attention.list': await sy.attention.list().page(),
    'reports.payments': await sy.reports.payments({ bucket: '1d', group: 'currency' }),
    'reports.billing': await sy.reports.billing(),
    'reports.billing_history': await sy.reports.billingHistory({ from: '2026-01-01' }),
    'system.get': await sy.system.get(),
  }
}

/** Cancellation requests of subscribers. */
async function callCancellationOperations(sy: Switchyard, factories: ObjectFactories) {
  return {
    'cancellation_requests.list': await sy.cancellationRequests.list().page(),
    'cancellation_requests.get': await sy.cancellationRequests.get(await factories.aCancellationRequest()),
    'cancellation_requests.accept': await sy.cancellationRequests.accept(
      await factories.aCancellationRequest(),
    ),
    'cancellation_requests.reject': await sy.cancellationRequests.reject(
      await factories.aCancellationRequest(),
    ),
  }
}

/** The pages and e-mails of customers. */
async function callPages(sy: Switchyard, customerId: string) {
  return {
    'customers.update_payment_method_link': await sy.customers.updatePaymentMethodLink(customerId),
    'portal_sessions.create': await sy.portalSessions.create({ customer_id: customerId }),
    'portal_configuration.get': await sy.portalConfiguration.get(),
    'portal_configuration.update': await sy.portalConfiguration.update({ pause: true }),
    'mail_settings.get': await sy.mailSettings.get(),
    'mail_settings.update': await sy.mailSettings.update({ kinds: { refunded: false } }),
    'mail_settings.preview': await sy.mailSettings.preview({ kind: 'receipt', locale: 'de' }),
  }
}

async function callPeopleOperations(sy: Switchyard, factories: ObjectFactories) {
  const { id } = await factories.aPerson()
  const invitation = await sy.invitations.create({ email: 'grace@example.com', role: 'READ_ONLY' })
  return {
    'people.list': await sy.people.list().page(),
    'people.update': await sy.people.update(id, { role: 'SUPPORT' }),
    'people.sign_out': await sy.people.signOut(id),
    'people.deactivate': await sy.people.deactivate(id),
    'invitations.create': invitation,
    'invitations.list': await sy.invitations.list().page(),
    'invitations.revoke': await sy.invitations.revoke(invitation.id),
  }
}

async function callTestClockOperations(sy: Switchyard) {
  const clock = await sy.testClocks.create({ now_at: '2027-01-01T00:00:00.000Z' })
  return {
    'test_clocks.create': clock,
    'test_clocks.list': await sy.testClocks.list().page(),
    'test_clocks.get': await sy.testClocks.get(clock.id),
    'test_clocks.advance': await sy.testClocks.advance(clock.id, { by: 'P1M' }),
    'test_clocks.timeline': await sy.testClocks.timeline(clock.id).page(),
    'test_clocks.delete': await sy.testClocks.delete(clock.id),
  }
}

async function callWebhookOperations(sy: Switchyard, eventId: string) {
  const endpoint = await sy.webhookEndpoints.create({
    // Nothing listens on this port, so an attempt fails quickly.
    url: 'http://127.0.0.1:1024/webhooks',
    event_types: ['customer.*'],
  })
  const testDelivery = await sy.webhookEndpoints.test(endpoint.id)
  const recovery = await sy.webhookEndpoints.recover(endpoint.id, {
    since_at: new Date(Date.now() - 3_600_000).toISOString(),
  })
  return {
    'events.resend': await sy.events.resend(eventId),
    'webhook_endpoints.create': endpoint,
    'webhook_endpoints.test': testDelivery,
    'webhook_endpoints.figures': await sy.webhookEndpoints.figures(endpoint.id),
    'deliveries.list': await sy.deliveries.list(endpoint.id, { state: 'exhausted' }).page(),
    'deliveries.list_all': await sy.deliveries.listAll({ event_id: testDelivery.event_id }).page(),
    'deliveries.get': await sy.deliveries.get(testDelivery.id),
    'deliveries.resend': await sy.deliveries.resend(testDelivery.id),
    'webhook_recoveries.create': recovery,
    'webhook_recoveries.list': await sy.webhookEndpoints.listRecoveries(endpoint.id).page(),
    'webhook_recoveries.get': await sy.webhookEndpoints.getRecovery(endpoint.id, recovery.id),
    'webhook_recoveries.cancel': await sy.webhookEndpoints.cancelRecovery(endpoint.id, recovery.id),
    'webhook_endpoints.list': await sy.webhookEndpoints.list().page(),
    'webhook_endpoints.get': await sy.webhookEndpoints.get(endpoint.id),
    'webhook_endpoints.update': await sy.webhookEndpoints.update(endpoint.id, { name: 'Shop' }),
    'webhook_endpoints.disable': await sy.webhookEndpoints.disable(endpoint.id),
    'webhook_endpoints.enable': await sy.webhookEndpoints.enable(endpoint.id),
    'webhook_endpoints.rotate_secret': await sy.webhookEndpoints.rotateSecret(endpoint.id),
    'webhook_endpoints.reveal_secret': await sy.webhookEndpoints.revealSecret(endpoint.id),
    'webhook_endpoints.delete': await sy.webhookEndpoints.delete(endpoint.id),
  }
}

async function callProviderAccountOperations(sy: Switchyard) {
  const account = await sy.providerAccounts.create({
    provider: 'custom',
    display_name: 'Our acquirer',
    // Nothing listens on this port, so a check fails quickly.
    config: { base_url: 'http://127.0.0.1:1024' },
  })
  const { id } = account
  const until_at = new Date(Date.UTC(2036, 10, 14))
  return {
    'providers.list': await sy.providers.list().page(),
    'provider_accounts.create': account,
    'provider_accounts.list': await sy.providerAccounts.list().page(),
    'provider_accounts.get': await sy.providerAccounts.get(id),
    'provider_accounts.health': await sy.providerAccounts.health(id, { lane: 'rest' }),
    'provider_accounts.settled_costs': await sy.providerAccounts.settledCosts(id).page(),
    'provider_accounts.update': await sy.providerAccounts.update(id, { position: 3 }),
    'provider_accounts.disable': await sy.providerAccounts.disable(id),
    'provider_accounts.enable': await sy.providerAccounts.enable(id),
    'provider_accounts.hold': await sy.providerAccounts.hold(id, { reason: 'Maintenance', until_at }),
    'provider_accounts.release': await sy.providerAccounts.release(id),
    'provider_accounts.check': await sy.providerAccounts.check(id),
    'provider_accounts.rotate_secret': await sy.providerAccounts.rotateSecret(id),
    'provider_accounts.archive': await sy.providerAccounts.archive(id),
  }
}

async function callPaymentRouteOperations(sy: Switchyard) {
  const { data } = await sy.providerAccounts.list().page()
  const targets = data.filter(({ provider }) => provider === 'simulator').map(({ id }) => id)
  const definition = { name: 'Cards', default: { type: 'priority' as const, targets } }
  const route = await sy.paymentRoutes.create(definition)
  const { id } = route
  const draft = await sy.paymentRoutes.create({ ...definition, draft: true })
  const history = { from_at: new Date(Date.now() - 3_600_000).toISOString() }
  const simulation = await sy.paymentRoutes.simulateHistory(id, { history, revision: 1, against: 1 })
  return {
    'payment_routes.create': route,
    'payment_routes.list': await sy.paymentRoutes.list().page(),
    'payment_routes.get': await sy.paymentRoutes.get(id),
    'payment_routes.update': await sy.paymentRoutes.update(id, { name: 'All cards', draft: true }),
    'payment_routes.revisions': await sy.paymentRoutes.revisions(id).page(),
    'payment_routes.revision': await sy.paymentRoutes.revision(id, 2),
    'payment_routes.diff': await sy.paymentRoutes.diff(id, 2, { against: 1 }),
    'payment_routes.publish': await sy.paymentRoutes.publish(id, 2),
    'payment_routes.lint': await sy.paymentRoutes.lint(definition),
    'payment_routes.simulate': await sy.paymentRoutes.simulate(id, {
      operands: { amount: 1299, currency: 'eur' },
    }),
    'route_simulations.list': await sy.paymentRoutes.listSimulations(id).page(),
    'route_simulations.get': await sy.paymentRoutes.getSimulation(id, simulation.id),
    'route_simulations.cancel': await sy.paymentRoutes.cancelSimulation(id, simulation.id),
    'payment_routes.archive': await sy.paymentRoutes.archive(id),
    'payment_routes.delete': await sy.paymentRoutes.delete(draft.id),
  }
}

async function callCardOperations(sy: Switchyard) {
  const { confirmation } = await sy.vault.get()
  return {
    'tokens.create': await sy.tokens.create({ type: 'card', card }),
    'vault.confirm': await sy.vault.confirm({ confirmation }),
    'vault.get': await sy.vault.get(),
  }
}

async function createToken(sy: Switchyard, number = card.number): Promise<string> {
  return (await sy.tokens.create({ type: 'card', card: { ...card, number } })).id
}

async function findOtherAccount(sy: Switchyard, id: string): Promise<string> {
  const { data } = await sy.providerAccounts.list().page()
  const other = data.find((account) => account.id !== id && account.status === 'active')
  return other?.id ?? id
}

async function callPaymentMethodOperations(sy: Switchyard) {
  const method = await sy.paymentMethods.create({ token: await createToken(sy) })
  const customer = await sy.customers.create({})
  return {
    'payment_methods.create': method,
    'payment_methods.list': await sy.paymentMethods.list().page(),
    'payment_methods.update': await sy.paymentMethods.update(method.id, { metadata: { order: '4711' } }),
    'payment_methods.attach': await sy.paymentMethods.attach(method.id, { customer_id: customer.id }),
    'payment_methods.create_credential': await sy.paymentMethods.createCredential(method.id, {
      provider_account_id: await findOtherAccount(
        sy,
        (await sy.paymentMethods.get(method.id)).authorization.provider_account_id,
      ),
    }),
    'payment_methods.get': await sy.paymentMethods.get(method.id),
    'payment_methods.detach': await sy.paymentMethods.detach(method.id),
  }
}

async function callPaymentOperations(sy: Switchyard, { aDispute, aSettlementLine }: ObjectFactories) {
  const order = { amount: 1299, currency: 'eur', capture_method: 'manual' } as const
  const payment = await sy.payments.create({ ...order, token: await createToken(sy) })
  const captured = await sy.payments.capture(payment.id, { amount: 1000 })
  const authorized = await sy.payments.create({ ...order, token: await createToken(sy) })
  const refund = await sy.refunds.create({ payment_id: payment.id, amount: 300 })
  return {
    'payments.create': payment,
    'payments.capture': captured,
    'payments.cancel': await sy.payments.cancel(authorized.id),
    'payments.get': await sy.payments.get(payment.id),
    'payments.list': await sy.payments.list().page(),
    'payments.attempts': await sy.payments.attempts(payment.id).page(),
    'payments.update': await sy.payments.update(payment.id, { description: 'A book' }),
    'payments.check': await sy.payments.check(payment.id),
    'payments.operations': await sy.payments.operations(payment.id).page(),
    'payments.timeline': await sy.payments.timeline(payment.id).page(),
    'payments.resolve_operation': await resolveManually(sy),
    'refunds.create': refund,
    'refunds.get': await sy.refunds.get(refund.id),
    'refunds.list': await sy.refunds.list().page(),
    ...(await callDisputes(sy, await aDispute(payment.id))),
    'balances.list': await sy.balances.list().page(),
    'ledger_postings.list': await sy.ledgerPostings.list({ object_id: payment.id }).page(),
    ...(await callSettlementOperations(sy, payment.provider_account_id ?? '', await aSettlementLine())),
  }
}

async function callSettlementOperations(sy: Switchyard, accountId: string, lineId: string) {
  const columns = { gross: 'Amount', currency: 'Currency', created_at: 'Date' }
  const input = { provider_account_id: accountId, format: 'csv', mapping: { columns } } as const
  const created = await sy.settlementImports.create(input)
  const file = 'Amount,Currency,Date\n12.99,EUR,2026-11-14\n'
  const resolution = { resolution: 'payment', note: 'Paid by phone.' } as const
  return {
    'settlement_imports.create': created,
    'settlement_imports.upload': await sy.settlementImports.upload(created.id, file),
    'settlement_imports.get': await sy.settlementImports.get(created.id),
    'settlement_imports.list': await sy.settlementImports.list().page(),
    'settlement_lines.list': await sy.settlementLines.list({ status: 'missing_here' }).page(),
    'settlement_lines.resolve': await sy.settlementLines.resolve(lineId, resolution),
    'reconciliation.get': await sy.reconciliation.get(),
    'payouts.list': await sy.payouts.list().page(),
  }
}

async function callExportOperations(sy: Switchyard, anExport: () => Promise<string>) {
  const period = { from: '2026-11-01', to: '2026-11-30' }
  const created = await sy.exports.create({ of: 'journal', format: 'csv', ...period })
  const finished = await anExport()
  const destination = await sy.exportDestinations.create({
    endpoint_url: 'https://storage.invalid',
    region: 'eu-central-1',
    bucket: 'example-exports',
    access_key_id: 'EXAMPLE',
    secret_access_key: 'example-secret',
    of: ['payments'],
    format: 'csv',
  })
  return {
    'export_destinations.create': destination,
    'export_destinations.get': await sy.exportDestinations.get(destination.id),
    'export_destinations.list': await sy.exportDestinations.list().page(),
    'export_destinations.update': await sy.exportDestinations.update(destination.id, { name: 'Warehouse' }),
    'export_destinations.check': await sy.exportDestinations.check(destination.id),
    'export_destinations.delete': await sy.exportDestinations.delete(destination.id),
    'journal_settings.update': await sy.journalSettings.update({ xero: { tax_rate: 'No Tax' } }),
    'journal_settings.get': await sy.journalSettings.get(),
    'exports.create': created,
    'exports.get': await sy.exports.get(finished),
    'exports.list': await sy.exports.list().page(),
    'exports.download': await sy.exports.download(finished),
    'exports.cancel': await sy.exports.cancel(created.id),
  }
}

/** The dispute does not exist at the simulator, so the simulator rejects the evidence and the acceptance. */
async function callDisputes(sy: Switchyard, id: string) {
  const file = await sy.files.create({ purpose: 'receipt', name: 'receipt.pdf', content: 'JVBERi0xLjcK' })
  return {
    'files.create': file,
    'files.get': await sy.files.get(file.id),
    'disputes.get': await sy.disputes.get(id),
    'disputes.list': await sy.disputes.list().page(),
    'disputes.update': await sy.disputes.update(id, { evidence: { explanation: 'Delivered on Monday.' } }),
    'disputes.submit': await sy.disputes.submit(id),
    'disputes.accept': await sy.disputes.accept(id),
    'disputes.check': await sy.disputes.check(id),
  }
}

async function callDiscountOperations(sy: Switchyard, coupon_id: string) {
  const { id } = await sy.customers.create({})
  return {
    'customers.update_discounts': await sy.customers.updateDiscounts(id, { discounts: [{ coupon_id }] }),
    'customers.discounts': await sy.customers.discounts(id),
  }
}

async function callProductOperations(sy: Switchyard) {
  const product = await sy.products.create({ name: 'Team plan', features: ['Support'] })
  const terms = { product_id: product.id, currency: 'eur', unit_amount: 2999 } as const
  const price = await sy.prices.create({ ...terms, recurring: { interval: 'month' }, lookup_key: 'team' })
  const coupon = await sy.coupons.create({ name: 'Spring offer', percent_off: '20', duration: 'once' })
  const code = await sy.promotionCodes.create({ coupon_id: coupon.id, code: 'SPRING20' })
  const listed = { products: await sy.products.list().page(), prices: await sy.prices.list().page() }
  return {
    'products.create': product,
    'products.list': listed.products,
    'products.get': await sy.products.get(product.id),
    'products.update': await sy.products.update(product.id, { unit_label: 'seat' }),
    'prices.create': price,
    'prices.list': listed.prices,
    'prices.get': await sy.prices.get(price.id),
    'prices.update': await sy.prices.update(price.id, { nickname: 'Monthly' }),
    'prices.delete': await sy.prices.delete(price.id),
    'coupons.create': coupon,
    ...(await callDiscountOperations(sy, coupon.id)),
    'coupons.list': await sy.coupons.list().page(),
    'coupons.get': await sy.coupons.get(coupon.id),
    'coupons.update': await sy.coupons.update(coupon.id, { active: false }),
    'promotion_codes.create': code,
    'promotion_codes.list': await sy.promotionCodes.list({ coupon_id: coupon.id }).page(),
    'promotion_codes.get': await sy.promotionCodes.get(code.id),
    'promotion_codes.update': await sy.promotionCodes.update(code.id, { active: false }),
    'products.delete': await sy.products.delete(product.id),
  }
}

async function callTaxOperations(sy: Switchyard) {
  const rate = await sy.taxRates.create({ name: 'Germany', percentage: '19' })
  const rule = await sy.taxRules.create({ tax_rate_id: rate.id, country: 'DE' })
  return {
    'tax_rates.create': rate,
    'tax_rates.list': await sy.taxRates.list().page(),
    'tax_rates.get': await sy.taxRates.get(rate.id),
    'tax_rates.update': await sy.taxRates.update(rate.id, { name: 'Germany 19%' }),
    'tax_rules.create': rule,
    'tax_rules.list': await sy.taxRules.list().page(),
    'tax_rules.preview': await sy.taxRules.preview({ customer_id: (await sy.customers.create({})).id }),
    'tax_rules.delete': await sy.taxRules.delete(rule.id),
  }
}

async function callMeterOperations(sy: Switchyard) {
  const meter = await sy.meters.create({ event_name: 'api_request', aggregation: 'count' })
  const { id: customer_id } = await sy.customers.create({})
  const period = { from: '2027-01-01T00:00:00Z', to: '2027-02-01T00:00:00Z' }
  const alert = await sy.usageAlerts.create({ meter_id: meter.id, name: 'Requests', threshold: '8000' })
  return {
    'usage_alerts.create': alert,
    'usage_alerts.list': await sy.usageAlerts.list({ meter_id: meter.id }).page(),
    'usage_alerts.get': await sy.usageAlerts.get(alert.id),
    'usage_alerts.triggers': await sy.usageAlerts.triggers(alert.id).page(),
    'usage_alerts.update': await sy.usageAlerts.update(alert.id, { active: false }),
    'meters.create': meter,
    'meters.list': await sy.meters.list().page(),
    'meters.get': await sy.meters.get(meter.id),
    'meter_events.create': await sy.meterEvents.create({
      events: [{ id: 'req_1', event_name: 'api_request', customer_id }],
    }),
    'meter_events.cancel': await sy.meterEvents.cancel({
      events: [{ event_name: 'api_request', id: 'req_1' }],
    }),
    'meters.report': await sy.meters.report(meter.id, period),
    'meters.usage': await sy.meters.usage(meter.id, { customer_id, ...period }),
  }
}

async function callInvoiceOperations(sy: Switchyard, anInvoice: () => Promise<string>) {
  const [id, voidedInvoice, uncollectibleInvoice] = [await anInvoice(), await anInvoice(), await anInvoice()]
  return {
    ...(await callTaxOperations(sy)),
    'tax_provider.update': await sy.taxProvider.update({ provider: 'stripe_tax', emulated: true }),
    'tax_provider.get': await sy.taxProvider.get(),
    'tax_provider.check': await sy.taxProvider.check(),
    'tax_provider.delete': await sy.taxProvider.delete(),
    'seller.get': await sy.seller.get(),
    'seller.update': await sy.seller.update({
      legal_name: 'Example Inc.',
      address: { line1: '1 Main Street', city: 'Springfield', country: 'US' },
      registration: { register: 'Delaware', number: '12345' },
    }),
    ...(await callOneOffInvoiceOperations(sy)),
    'invoices.list': await sy.invoices.list().page(),
    'invoices.get': await sy.invoices.get(id),
    'invoices.lines': await sy.invoices.lines(id).page(),
    'invoices.pdf': await sy.invoices.pdf(id),
    'invoices.finalize': await sy.invoices.finalize(id),
    'invoices.pay': await sy.invoices.pay(id, { out_of_band: true }),
    'invoices.void': await sy.invoices.void(voidedInvoice),
    'invoices.mark_uncollectible': await sy.invoices.markUncollectible(uncollectibleInvoice),
  }
}

async function callOneOffInvoiceOperations(sy: Switchyard) {
  const customer = await sy.customers.create({
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    address: { country: 'GB' },
  })
  const body = { customer_id: customer.id, currency: 'eur', collection_method: 'send_invoice' } as const
  const invoice = await sy.invoices.create(body)
  const added = await sy.invoices.addLine(invoice.id, { description: 'Workshop', unit_amount: 120000 })
  const lineId = added.lines[0]?.id ?? ''
  return {
    'invoices.preview': await sy.invoices.preview(body),
    'invoices.create': invoice,
    'invoices.add_line': added,
    'invoices.update_line': await sy.invoices.updateLine(invoice.id, lineId, { quantity: 2 }),
    'invoices.update': await sy.invoices.update(invoice.id, { memo: 'Thank you' }),
    'invoices.send': await sy.invoices.send(invoice.id),
    'invoices.xml': await sy.invoices.xml(invoice.id, { format: 'ubl' }),
    ...(await callCreditNoteOperations(sy, invoice.id, lineId)),
    ...(await deleteDraft(sy, body)),
  }
}

async function callCreditNoteOperations(sy: Switchyard, invoice_id: string, invoice_line_id: string) {
  const body = { invoice_id, lines: [{ invoice_line_id, amount: 1000 }] }
  const preview = await sy.creditNotes.preview(body)
  const note = await sy.creditNotes.create(body)
  return {
    'credit_notes.preview': preview,
    'credit_notes.create': note,
    'credit_notes.list': await sy.creditNotes.list({ invoice_id }).page(),
    'credit_notes.get': await sy.creditNotes.get(note.id),
    'credit_notes.pdf': await sy.creditNotes.pdf(note.id),
    'credit_notes.xml': await sy.creditNotes.xml(note.id),
    'credit_notes.void': await sy.creditNotes.void(note.id),
  }
}

async function deleteDraft(sy: Switchyard, body: Parameters<Switchyard['invoices']['create']>[0]) {
  const lines = [{ description: 'Travel', unit_amount: 9000 }]
  const draft = await sy.invoices.create({ ...body, lines })
  return {
    'invoices.delete_line': await sy.invoices.deleteLine(draft.id, draft.lines[0]?.id ?? ''),
    'invoices.delete': await sy.invoices.delete(draft.id),
  }
}

async function callDunningOperations(sy: Switchyard, aCampaign: () => Promise<string>) {
  const policy = await sy.dunningPolicies.create({ name: 'Patient', retry_days: [3, 10, 20] })
  const id = await aCampaign()
  return {
    'dunning_policies.create': policy,
    'dunning_policies.list': await sy.dunningPolicies.list().page(),
    'dunning_policies.get': await sy.dunningPolicies.get(policy.id),
    'dunning_policies.update': await sy.dunningPolicies.update(policy.id, { grace: 'none' }),
    'dunning_campaigns.list': await sy.dunningCampaigns.list().page(),
    'dunning_campaigns.get': await sy.dunningCampaigns.get(id),
    'dunning_campaigns.retry': await sy.dunningCampaigns.retry(id),
    'dunning_campaigns.stop': await sy.dunningCampaigns.stop(id),
  }
}

async function callSubscriptionOperations(sy: Switchyard) {
  const product = await sy.products.create({ name: 'Team plan' })
  const recurring = { interval: 'month' } as const
  const price = await sy.prices.create({
    product_id: product.id,
    currency: 'eur',
    unit_amount: 2999,
    recurring,
  })
  const customer = await sy.customers.create({})
  const newSubscription = { customer_id: customer.id, items: [{ price_id: price.id }], trial: { days: 14 } }
  const subscription = await sy.subscriptions.create(newSubscription)
  const { id } = subscription
  return {
    'subscriptions.create': subscription,
    'subscriptions.preview_create': await sy.subscriptions.previewCreate(newSubscription),
    'subscriptions.list': await sy.subscriptions.list().page(),
    'subscriptions.get': await sy.subscriptions.get(id),
    'subscriptions.access': await sy.subscriptions.access(id),
    'customers.billing_state': await sy.subscriptions.billingState(customer.id),
    'subscriptions.update': await sy.subscriptions.update(id, { description: 'Team' }),
    'subscriptions.preview': await sy.subscriptions.preview(id, { action: 'pause' }),
    'subscriptions.pause': await sy.subscriptions.pause(id),
    'subscriptions.resume': await sy.subscriptions.resume(id),
    'subscriptions.unpark': await sy.subscriptions.unpark(id),
    'subscriptions.cancel': await sy.subscriptions.cancel(id),
  }
}

async function callPaymentLinkOperations(sy: Switchyard) {
  const link = await sy.paymentLinks.create({ amount: 1299, currency: 'eur' })
  return {
    'payment_links.create': link,
    'payment_links.list': await sy.paymentLinks.list({ status: 'active' }).page(),
    'payment_links.get': await sy.paymentLinks.get(link.id),
    'payment_links.update': await sy.paymentLinks.update(link.id, { max_completions: 3 }),
    'payment_links.deactivate': await sy.paymentLinks.deactivate(link.id),
    'payment_links.activate': await sy.paymentLinks.activate(link.id),
  }
}

async function callCheckoutSessionOperations(sy: Switchyard) {
  const order = { amount: 1299, currency: 'eur' } as const
  const session = await sy.checkoutSessions.create(order)
  const unused = await sy.checkoutSessions.create(order)
  const secret = session.client_secret ?? ''
  return {
    'checkout_sessions.create': session,
    'checkout_sessions.list': await sy.checkoutSessions.list().page(),
    'checkout_sessions.expire': await sy.checkoutSessions.expire(unused.id),
    'public_checkout_sessions.get': await sy.checkoutSessions.getPublic(session.id, secret),
    'public_checkout_sessions.confirm': await sy.checkoutSessions.confirm(session.id, secret, {
      token: await createToken(sy),
    }),
    'checkout_sessions.get': await sy.checkoutSessions.get(session.id),
  }
}

/** Resolves the operation of a payment for which the provider reported another amount. */
async function resolveManually(sy: Switchyard) {
  const token = await createToken(sy, '4000000050140005')
  const { id } = await sy.payments.create({ amount: 1299, currency: 'eur', token })
  const [operation] = (await sy.payments.operations(id).page()).data
  const resolution = { outcome: 'succeeded', note: 'The provider shows it as captured.' } as const
  return sy.payments.resolveOperation(id, operation?.id ?? '', resolution)
}

async function firstOf<Entry>(entries: AsyncIterable<Entry>): Promise<Entry> {
  for await (const entry of entries) return entry
  throw new Error('The stream ended before the first event.')
}
