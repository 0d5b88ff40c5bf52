/** What is sold and billed: the operations of products, prices and invoices as methods. */
import { type List, pages } from './list.ts'

import { part } from './query.ts'
import type { Answered, CallOptions, DeleteOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function productsOf(send: Send) {
  const path = '/products'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    /** What is sold. What it costs is said by its prices. */
    create: (body: api.CreateProduct, options?: WriteOptions): Promise<Answered<api.Product>> =>
      send({ method: 'POST', path, body, options }),
    /** All products. */
    list: (query?: api.ListProducts, options?: CallOptions): List<api.Product> =>
      pages(send, path, query, options),
    /** One product, by its id. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Product>> =>
      send({ method: 'GET', path: at(id), options }),
    /** Members that are not sent stay as they are, null clears. */
    update: (id: string, body: api.UpdateProduct, options?: UpdateOptions): Promise<Answered<api.Product>> =>
      send({ method: 'PUT', path: at(id), body, options }),
    /** Only one without prices. Repeating it answers the same. */
    delete: (id: string, options?: DeleteOptions): Promise<Answered<api.DeletedProduct>> =>
      send({ method: 'DELETE', path: at(id), options }),
  }
}

export function pricesOf(send: Send) {
  const path = '/prices'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    /** Its money never changes: another amount is another price, which may take over the `lookup_key`. */
    create: (body: api.CreatePrice, options?: WriteOptions): Promise<Answered<api.Price>> =>
      send({ method: 'POST', path, body, options }),
    /** All prices, or those of one product. */
    list: (query?: api.ListPrices, options?: CallOptions): List<api.Price> =>
      pages(send, path, query, options),
    /** One price, by its id. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Price>> =>
      send({ method: 'GET', path: at(id), options }),
    /** Members that are not sent stay as they are, null clears. */
    update: (id: string, body: api.UpdatePrice, options?: UpdateOptions): Promise<Answered<api.Price>> =>
      send({ method: 'PUT', path: at(id), body, options }),
    /** Only one that nobody is or was billed by. Repeating it answers the same. */
    delete: (id: string, options?: DeleteOptions): Promise<Answered<api.DeletedPrice>> =>
      send({ method: 'DELETE', path: at(id), options }),
  }
}

export function invoicesOf(send: Send) {
  const path = '/invoices'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    /** All invoices, or those that fit what is asked for. */
    list: (query?: api.ListInvoices, options?: CallOptions): List<api.Invoice> =>
      pages(send, path, query, options),
    /** One invoice. Its lines have a method of their own. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'GET', path: at(id), options }),
    /** Each with the arithmetic that its amount comes from. */
    lines: (id: string, query?: api.LinesInvoices, options?: CallOptions): List<api.InvoiceLine> =>
      pages(send, `${at(id)}/lines`, query, options),
    /** As a PDF, to be sent or kept. */
    pdf: (id: string, options?: CallOptions): Promise<Answered<Uint8Array>> =>
      send({ method: 'GET', path: `${at(id)}/pdf`, accept: 'application/pdf', options }),
    /** Drafts are finalized by themselves; this does it now. */
    finalize: (id: string, options?: WriteOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'POST', path: `${at(id)}/finalize`, options }),
    /** Tries now to collect it, and answers at once. With `out_of_band` nothing is charged. */
    pay: (id: string, body: api.PayInvoice = {}, options?: WriteOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'POST', path: `${at(id)}/pay`, body, options }),
    /** It is owed no more. Credit that was set against it goes back to the customer. */
    void: (id: string, options?: WriteOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'POST', path: `${at(id)}/void`, options }),
    /** Nothing more is tried by itself. It can still be paid. */
    markUncollectible: (id: string, options?: WriteOptions): Promise<Answered<api.Invoice>> =>
      send({ method: 'POST', path: `${at(id)}/mark-uncollectible`, options }),
  }
}
