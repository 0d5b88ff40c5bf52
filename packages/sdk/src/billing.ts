/** Products, prices and invoices. */
import { type List, paginatedList } from './list.ts'

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
