/** Products, prices, coupons, tax rates and invoices. */
import { type List, listOf, paginatedList } from './list.ts'

import { encodeId } from './query.ts'
import type { Answered, CallOptions, DeleteOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function productsOf(send: Send) {
  const path = '/products'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Creates a product. Its prices define what it costs. */
    create: (body: api.CreateProduct, options?: WriteOptions): Promise<Answered<api.Product>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists products. */
    list: (query?: api.ListProducts, options?: CallOptions): List<api.Product> =>
      paginatedList(send, path, query, options),
    /** Retrieves a product. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Product>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Omitted members stay unchanged; null clears a member. */
    update: (id: string, body: api.UpdateProduct, options?: UpdateOptions): Promise<Answered<api.Product>> =>
      send({ method: 'PUT', path: pathOf(id), body, options }),
    /** Deletes a product that has no prices. Deleting it again returns the same response. */
    delete: (id: string, options?: DeleteOptions): Promise<Answered<api.DeletedProduct>> =>
      send({ method: 'DELETE', path: pathOf(id), options }),
  }
}

export function pricesOf(send: Send) {
  const path = '/prices'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Creates a price. Its amount never changes: create another price, which can take over the `lookup_key`. */
    create: (body: api.CreatePrice, options?: WriteOptions): Promise<Answered<api.Price>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists prices, optionally of one product. */
    list: (query?: api.ListPrices, options?: CallOptions): List<api.Price> =>
      paginatedList(send, path, query, options),
    /** Retrieves a price. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Price>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Omitted members stay unchanged; null clears a member. */
    update: (id: string, body: api.UpdatePrice, options?: UpdateOptions): Promise<Answered<api.Price>> =>
      send({ method: 'PUT', path: pathOf(id), body, options }),
    /** Deletes a price that was never billed. Deleting it again returns the same response. */
    delete: (id: string, options?: DeleteOptions): Promise<Answered<api.DeletedPrice>> =>
      send({ method: 'DELETE', path: pathOf(id), options }),
  }
}

export function couponsOf(send: Send) {
  const path = '/coupons'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Creates a coupon. Its terms never change. */
    create: (body: api.CreateCoupon, options?: WriteOptions): Promise<Answered<api.Coupon>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists coupons. */
    list: (query?: api.ListCoupons, options?: CallOptions): List<api.Coupon> =>
      paginatedList(send, path, query, options),
    /** Retrieves a coupon, and how many times it was redeemed. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Coupon>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Renames or archives a coupon. Existing discounts continue. */
    update: (id: string, body: api.UpdateCoupon, options?: UpdateOptions): Promise<Answered<api.Coupon>> =>
      send({ method: 'PUT', path: pathOf(id), body, options }),
  }
}

export function promotionCodesOf(send: Send) {
  const path = '/promotion-codes'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Creates a code with which customers redeem a coupon. */
    create: (body: api.CreatePromotionCode, options?: WriteOptions): Promise<Answered<api.PromotionCode>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists promotion codes, optionally of one coupon. */
    list: (query?: api.ListPromotionCodes, options?: CallOptions): List<api.PromotionCode> =>
      paginatedList(send, path, query, options),
    /** Retrieves a promotion code, and how many times it was redeemed. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.PromotionCode>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Activates or deactivates a promotion code. */
    update: (
      id: string,
      body: api.UpdatePromotionCode,
      options?: UpdateOptions,
    ): Promise<Answered<api.PromotionCode>> => send({ method: 'PUT', path: pathOf(id), body, options }),
  }
}

export function metersOf(send: Send) {
  const path = '/meters'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Creates a meter, which counts the usage events with one name. */
    create: (body: api.CreateMeter, options?: WriteOptions): Promise<Answered<api.Meter>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists meters. */
    list: (query?: api.ListMeters, options?: CallOptions): List<api.Meter> =>
      paginatedList(send, path, query, options),
    /** Retrieves a meter. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Meter>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** The usage over time, by customer and by dimensions. */
    report: (
      id: string,
      query: api.ReportMeters,
      options?: CallOptions,
    ): Promise<Answered<api.MeterReport>> =>
      send({ method: 'GET', path: `${pathOf(id)}/report`, query: { ...query }, options }),
    /** The usage of a customer in a period. */
    usage: (id: string, query: api.UsageMeters, options?: CallOptions): Promise<Answered<api.MeterUsage>> =>
      send({ method: 'GET', path: `${pathOf(id)}/usage`, query: { ...query }, options }),
  }
}

export function meterEventsOf(send: Send) {
  return {
    /** Records up to 1,000 usage events. Events that were recorded before are not counted again. */
    create: (body: api.CreateMeterEvent, options?: WriteOptions): Promise<Answered<api.MeterEventBatch>> =>
      send({ method: 'POST', path: '/meter-events', body, options }),
    /** Cancels up to 1,000 usage events of the last 35 days. */
    cancel: (
      body: api.CancelMeterEvent,
      options?: WriteOptions,
    ): Promise<Answered<api.MeterEventCancellation>> =>
      send({ method: 'POST', path: '/meter-events/cancel', body, options }),
  }
}

export function invoicesOf(send: Send) {
  const path = '/invoices'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Lists invoices, optionally filtered. */
    list: (query?: api.ListInvoices, options?: CallOptions): List<api.Invoice> =>
      paginatedList(send, path, query, options),
    /** Retrieves an invoice without its lines; see `lines`. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Lists the lines of an invoice, each with the calculation of its amount. */
    lines: (id: string, query?: api.LinesInvoices, options?: CallOptions): List<api.InvoiceLine> =>
      paginatedList(send, `${pathOf(id)}/lines`, query, options),
    /** Returns the invoice as a PDF. */
    pdf: (id: string, options?: CallOptions): Promise<Answered<Uint8Array>> =>
      send({ method: 'GET', path: `${pathOf(id)}/pdf`, accept: 'application/pdf', options }),
    /** Returns the invoice as an e-invoice: XML of EN 16931. */
    xml: (id: string, query?: api.XmlInvoices, options?: CallOptions): Promise<Answered<Uint8Array>> =>
      send({
        method: 'GET',
        path: `${pathOf(id)}/xml`,
        query: { ...query },
        accept: 'application/xml',
        options,
      }),
    /** Creates a one-off invoice as a draft. */
    create: (body: api.CreateInvoice, options?: WriteOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'POST', path, body, options }),
    /** Calculates the amounts of a one-off invoice without storing it. */
    preview: (body: api.PreviewInvoice, options?: WriteOptions): Promise<Answered<api.InvoicePreview>> =>
      send({ method: 'POST', path: `${path}/preview`, body, options }),
    /** Changes a draft of a one-off invoice. Omitted fields are unchanged. */
    update: (id: string, body: api.UpdateInvoice, options?: UpdateOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'PUT', path: pathOf(id), body, options }),
    /** Discards a draft of a one-off invoice. */
    delete: (id: string, options?: WriteOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'DELETE', path: pathOf(id), options }),
    /** Adds a line to a draft, and returns the invoice. */
    addLine: (id: string, body: api.AddLineInvoice, options?: WriteOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'POST', path: `${pathOf(id)}/lines`, body, options }),
    /** Changes a line of a draft, and returns the invoice. Omitted fields are unchanged. */
    updateLine: (
      id: string,
      lineId: string,
      body: api.UpdateLineInvoice,
      options?: WriteOptions,
    ): Promise<Answered<api.Invoice>> =>
      send({ method: 'PUT', path: `${pathOf(id)}/lines/${encodeId(lineId)}`, body, options }),
    /** Removes a line from a draft, and returns the invoice. */
    deleteLine: (id: string, lineId: string, options?: WriteOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'DELETE', path: `${pathOf(id)}/lines/${encodeId(lineId)}`, options }),
    /** Sends the invoice to the customer by e-mail. A draft is finalized first. */
    send: (id: string, options?: WriteOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'POST', path: `${pathOf(id)}/send`, options }),
    /** Finalizes a draft now. Otherwise it is finalized automatically. */
    finalize: (id: string, options?: WriteOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'POST', path: `${pathOf(id)}/finalize`, options }),
    /** Starts collecting payment now, without waiting for the outcome. With `out_of_band` nothing is charged. */
    pay: (id: string, body: api.PayInvoice = {}, options?: WriteOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'POST', path: `${pathOf(id)}/pay`, body, options }),
    /** Voids the invoice, so that it is no longer owed. Applied credit is returned to the customer's balance. */
    void: (id: string, options?: WriteOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'POST', path: `${pathOf(id)}/void`, options }),
    /** Stops automatic payment attempts. The invoice can still be paid. */
    markUncollectible: (id: string, options?: WriteOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'POST', path: `${pathOf(id)}/mark-uncollectible`, options }),
  }
}

export function taxRatesOf(send: Send) {
  const path = '/tax-rates'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Creates a tax rate. Its percentage never changes. */
    create: (body: api.CreateTaxRate, options?: WriteOptions): Promise<Answered<api.TaxRate>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists tax rates. */
    list: (query?: api.ListTaxRates, options?: CallOptions): List<api.TaxRate> =>
      paginatedList(send, path, query, options),
    /** Retrieves a tax rate. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.TaxRate>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Renames a tax rate, or archives it with `active: false`. */
    update: (id: string, body: api.UpdateTaxRate, options?: UpdateOptions): Promise<Answered<api.TaxRate>> =>
      send({ method: 'PUT', path: pathOf(id), body, options }),
  }
}

export function taxRulesOf(send: Send) {
  const path = '/tax-rules'
  return {
    /** Creates a tax rule, at its position or at the end. */
    create: (body: api.CreateTaxRule, options?: WriteOptions): Promise<Answered<api.TaxRule>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists all tax rules, in the order in which they are tried. */
    list: (options?: CallOptions): List<api.TaxRule> => listOf(() => send({ method: 'GET', path, options })),
    /** Previews the tax rate of a customer. */
    preview: (body: api.PreviewTaxRule, options?: WriteOptions): Promise<Answered<api.TaxPreview>> =>
      send({ method: 'POST', path: `${path}/preview`, body, options }),
    /** Deletes a tax rule. Existing invoices keep their tax. */
    delete: (id: string, options?: DeleteOptions): Promise<Answered<api.DeletedTaxRule>> =>
      send({ method: 'DELETE', path: `${path}/${encodeId(id)}`, options }),
  }
}

export function creditNotesOf(send: Send) {
  const path = '/credit-notes'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Issues a credit note for an invoice. */
    create: (body: api.CreateCreditNote, options?: WriteOptions): Promise<Answered<api.CreditNote>> =>
      send({ method: 'POST', path, body, options }),
    /** Calculates a credit note without issuing it. */
    preview: (
      body: api.PreviewCreditNote,
      options?: WriteOptions,
    ): Promise<Answered<api.CreditNotePreview>> =>
      send({ method: 'POST', path: `${path}/preview`, body, options }),
    /** Lists credit notes, optionally of one invoice or customer. */
    list: (query?: api.ListCreditNotes, options?: CallOptions): List<api.CreditNote> =>
      paginatedList(send, path, query, options),
    /** Retrieves a credit note with its lines. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.CreditNote>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Returns the credit note as a PDF. */
    pdf: (id: string, options?: CallOptions): Promise<Answered<Uint8Array>> =>
      send({ method: 'GET', path: `${pathOf(id)}/pdf`, accept: 'application/pdf', options }),
    /** Returns the credit note as an e-invoice: XML of EN 16931. */
    xml: (id: string, query?: api.XmlCreditNotes, options?: CallOptions): Promise<Answered<Uint8Array>> =>
      send({
        method: 'GET',
        path: `${pathOf(id)}/xml`,
        query: { ...query },
        accept: 'application/xml',
        options,
      }),
    /** Voids a credit note that only reduced the amount owed. */
    void: (id: string, options?: WriteOptions): Promise<Answered<api.CreditNote>> =>
      send({ method: 'POST', path: `${pathOf(id)}/void`, options }),
  }
}

export function sellerOf(send: Send) {
  const path = '/seller'
  return {
    /** Retrieves the seller, and the legal fields that are missing. */
    get: (options?: CallOptions): Promise<Answered<api.Seller>> => send({ method: 'GET', path, options }),
    /** Updates the seller. Omitted fields are unchanged. */
    update: (body: api.UpdateSeller, options?: WriteOptions): Promise<Answered<api.Seller>> =>
      send({ method: 'PUT', path, body, options }),
  }
}

export function taxProviderOf(send: Send) {
  const path = '/tax-provider'
  return {
    /**
     * Retrieves the account at the service that computes tax, and how long drafts and documents have waited for it.
     */
    get: (options?: CallOptions): Promise<Answered<api.TaxProvider>> =>
      send({ method: 'GET', path, options }),
    /** Configures the account. Omitted secrets of the same provider stay unchanged. */
    update: (body: api.UpdateTaxProvider, options?: WriteOptions): Promise<Answered<api.TaxProvider>> =>
      send({ method: 'PUT', path, body, options }),
    /** Removes the account and its secrets. */
    delete: (options?: WriteOptions): Promise<Answered<api.TaxProvider>> =>
      send({ method: 'DELETE', path, options }),
    /** Calls the provider without changing anything. */
    check: (options?: WriteOptions): Promise<Answered<api.TaxProviderCheck>> =>
      send({ method: 'POST', path: `${path}/check`, options }),
  }
}

export function usageAlertsOf(send: Send) {
  const path = '/usage-alerts'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Creates an alert, which emits an event when the usage of a customer reaches a threshold. */
    create: (body: api.CreateUsageAlert, options?: WriteOptions): Promise<Answered<api.UsageAlert>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists usage alerts, optionally of one meter or for one customer. */
    list: (query?: api.ListUsageAlerts, options?: CallOptions): List<api.UsageAlert> =>
      paginatedList(send, path, query, options),
    /** Retrieves a usage alert. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.UsageAlert>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Renames or archives a usage alert. */
    update: (
      id: string,
      body: api.UpdateUsageAlert,
      options?: UpdateOptions,
    ): Promise<Answered<api.UsageAlert>> => send({ method: 'PUT', path: pathOf(id), body, options }),
    /** Lists the customers whose usage reached the threshold, with the period. */
    triggers: (
      id: string,
      query?: api.TriggersUsageAlerts,
      options?: CallOptions,
    ): List<api.UsageAlertTrigger> => paginatedList(send, `${pathOf(id)}/triggers`, query, options),
  }
}

/** The resources of this file, as the members of the client. */
export const billingResources = (send: Send) => ({
  products: productsOf(send),
  prices: pricesOf(send),
  coupons: couponsOf(send),
  promotionCodes: promotionCodesOf(send),
  meters: metersOf(send),
  meterEvents: meterEventsOf(send),
  usageAlerts: usageAlertsOf(send),
  invoices: invoicesOf(send),
  creditNotes: creditNotesOf(send),
  seller: sellerOf(send),
  taxProvider: taxProviderOf(send),
  taxRates: taxRatesOf(send),
  taxRules: taxRulesOf(send),
})
