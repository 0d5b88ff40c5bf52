/** Payment routes: which account of a provider a payment is sent to. */
import { type List, listOf } from './list.ts'
import { part, type Query } from './query.ts'
import type { Answered, CallOptions, DeleteOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function paymentRoutesOf(send: Send) {
  const path = '/payment-routes'
  const at = (id: string) => `${path}/${part(id)}`
  const revisionAt = (id: string, revision: number) => `${at(id)}/revisions/${part(String(revision))}`
  const read = <Answer extends object>(of: string, options?: CallOptions): Promise<Answered<Answer>> =>
    send({ method: 'GET', path: of, options })
  const pages = <Entry extends object>(of: string, query?: api.PageQuery, options?: CallOptions) =>
    listOf<Entry>((asked) => send({ method: 'GET', path: of, query: asked as Query, options }), query)
  return {
    /** Publishes its first revision, or with `draft` only saves it. `lint` says what is wrong with it. */
    create: (
      body: api.CreatePaymentRoute,
      options?: WriteOptions,
    ): Promise<Answered<api.SavedPaymentRoute>> => send({ method: 'POST', path, body, options }),
    /** The routes of the workspace. */
    list: (query?: api.ListPaymentRoutes, options?: CallOptions): List<api.PaymentRoute> =>
      pages(path, query, options),
    /** One route. `revision` is what is published, `latest_revision` may be a draft. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.PaymentRoute>> => read(at(id), options),
    /** Members that are not sent stay as the newest revision has them. Publishes, unless it is a `draft`. */
    update: (
      id: string,
      body: api.UpdatePaymentRoute,
      options?: UpdateOptions,
    ): Promise<Answered<api.SavedPaymentRoute>> => send({ method: 'PUT', path: at(id), body, options }),
    /** No new payments are made by it. */
    archive: (id: string, options?: WriteOptions): Promise<Answered<api.PaymentRoute>> =>
      send({ method: 'POST', path: `${at(id)}/archive`, options }),
    /** One that was never published. */
    delete: (id: string, options?: DeleteOptions): Promise<Answered<api.DeletedPaymentRoute>> =>
      send({ method: 'DELETE', path: at(id), options }),
    /** Every revision there was. None ever changes. */
    revisions: (
      id: string,
      query?: api.RevisionsPaymentRoutes,
      options?: CallOptions,
    ): List<api.PaymentRouteRevision> => pages(`${at(id)}/revisions`, query, options),
    /** One revision, by its number. */
    revision: (
      id: string,
      revision: number,
      options?: CallOptions,
    ): Promise<Answered<api.PaymentRouteRevision>> => read(revisionAt(id, revision), options),
    /** What makes the revision differ from `against`, or from what is published. */
    diff: (
      id: string,
      revision: number,
      query?: api.DiffPaymentRoutes,
      options?: CallOptions,
    ): Promise<Answered<api.PaymentRouteDiff>> =>
      send({ method: 'GET', path: `${revisionAt(id, revision)}/diff`, query: { ...query }, options }),
    /** An older revision than the one that is published is copied: that is how to roll back. */
    publish: (
      id: string,
      revision: number,
      options?: WriteOptions,
    ): Promise<Answered<api.SavedPaymentRoute>> =>
      send({ method: 'POST', path: `${revisionAt(id, revision)}/publish`, options }),
    /** Looks for mistakes in a route, and saves nothing. */
    lint: (body: api.LintPaymentRoute, options?: WriteOptions): Promise<Answered<api.PaymentRouteLint>> =>
      send({ method: 'POST', path: `${path}/lint`, body, options }),
    /** What would become of a payment. Nothing is written, and no provider is called. */
    simulate: (
      id: string,
      body: api.SimulatePaymentRoute,
      options?: WriteOptions,
    ): Promise<Answered<api.PaymentRouteSimulation>> =>
      send({ method: 'POST', path: `${at(id)}/simulate`, body, options }),
    ...simulationsOf(send, at, { read, pages }),
  }
}

type Reading = {
  read<Answer extends object>(of: string, options?: CallOptions): Promise<Answered<Answer>>
  pages<Entry extends object>(of: string, query?: api.PageQuery, options?: CallOptions): List<Entry>
}

function simulationsOf(send: Send, at: (id: string) => string, { read, pages }: Reading) {
  const simulationAt = (id: string, simulationId: string) => `${at(id)}/simulations/${part(simulationId)}`
  return {
    /** What a revision would have done otherwise with all payments of a time. It runs in the background. */
    simulateHistory: (
      id: string,
      body: Pick<api.SimulatePaymentRoute, 'revision' | 'against'> &
        Required<Pick<api.SimulatePaymentRoute, 'history'>>,
      options?: WriteOptions,
    ): Promise<Answered<api.RouteSimulation>> =>
      send({ method: 'POST', path: `${at(id)}/simulate`, body, options }),
    /** The dry runs of one route. */
    listSimulations: (
      id: string,
      query?: api.ListRouteSimulations,
      options?: CallOptions,
    ): List<api.RouteSimulation> => pages(`${at(id)}/simulations`, query, options),
    /** How far a dry run has come, and its result once it is there. */
    getSimulation: (
      id: string,
      simulationId: string,
      options?: CallOptions,
    ): Promise<Answered<api.RouteSimulation>> => read(simulationAt(id, simulationId), options),
    /** It stops within a second, and has no result. */
    cancelSimulation: (
      id: string,
      simulationId: string,
      options?: WriteOptions,
    ): Promise<Answered<api.RouteSimulation>> =>
      send({ method: 'POST', path: `${simulationAt(id, simulationId)}/cancel`, options }),
  }
}
