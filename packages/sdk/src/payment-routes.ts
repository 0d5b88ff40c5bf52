/** Payment routes, their revisions and dry runs. */
import { type List, paginatedList } from './list.ts'
import { encodeId } from './query.ts'
import type { Answered, CallOptions, DeleteOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function paymentRoutesOf(send: Send) {
  const path = '/payment-routes'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  const revisionPath = (id: string, revision: number) =>
    `${pathOf(id)}/revisions/${encodeId(String(revision))}`
  const retrieve = <Answer extends object>(
    resourcePath: string,
    options?: CallOptions,
  ): Promise<Answered<Answer>> => send({ method: 'GET', path: resourcePath, options })
  return {
    /** Creates a route and publishes its first revision; with `draft` it is only saved. `lint` lists problems. */
    create: (
      body: api.CreatePaymentRoute,
      options?: WriteOptions,
    ): Promise<Answered<api.SavedPaymentRoute>> => send({ method: 'POST', path, body, options }),
    /** Lists the routes of the workspace. */
    list: (query?: api.ListPaymentRoutes, options?: CallOptions): List<api.PaymentRoute> =>
      paginatedList(send, path, query, options),
    /** Retrieves a route. `revision` is the published revision; `latest_revision` can be a draft. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.PaymentRoute>> =>
      retrieve(pathOf(id), options),
    /** Saves a new revision, and publishes it unless `draft` is set. Omitted members come from the latest revision. */
    update: (
      id: string,
      body: api.UpdatePaymentRoute,
      options?: UpdateOptions,
    ): Promise<Answered<api.SavedPaymentRoute>> => send({ method: 'PUT', path: pathOf(id), body, options }),
    /** Archives the route, so that new payments cannot use it. */
    archive: (id: string, options?: WriteOptions): Promise<Answered<api.PaymentRoute>> =>
      send({ method: 'POST', path: `${pathOf(id)}/archive`, options }),
    /** Deletes a route that was never published. */
    delete: (id: string, options?: DeleteOptions): Promise<Answered<api.DeletedPaymentRoute>> =>
      send({ method: 'DELETE', path: pathOf(id), options }),
    /** Lists all revisions. Revisions never change. */
    revisions: (
      id: string,
      query?: api.RevisionsPaymentRoutes,
      options?: CallOptions,
    ): List<api.PaymentRouteRevision> => paginatedList(send, `${pathOf(id)}/revisions`, query, options),
    /** Retrieves a revision by its number. */
    revision: (
      id: string,
      revision: number,
      options?: CallOptions,
    ): Promise<Answered<api.PaymentRouteRevision>> => retrieve(revisionPath(id, revision), options),
    /** Compares the revision with `against`, by default with the published revision. */
    diff: (
      id: string,
      revision: number,
      query?: api.DiffPaymentRoutes,
      options?: CallOptions,
    ): Promise<Answered<api.PaymentRouteDiff>> =>
      send({ method: 'GET', path: `${revisionPath(id, revision)}/diff`, query: { ...query }, options }),
    /** Publishes a revision. To roll back, publish an older one: it is copied as a new revision. */
    publish: (
      id: string,
      revision: number,
      options?: WriteOptions,
    ): Promise<Answered<api.SavedPaymentRoute>> =>
      send({ method: 'POST', path: `${revisionPath(id, revision)}/publish`, options }),
    /** Checks a route for mistakes without saving it. */
    lint: (body: api.LintPaymentRoute, options?: WriteOptions): Promise<Answered<api.PaymentRouteLint>> =>
      send({ method: 'POST', path: `${path}/lint`, body, options }),
    /** Shows how a payment would be routed. Nothing is saved, and no provider is called. */
    simulate: (
      id: string,
      body: api.SimulatePaymentRoute,
      options?: WriteOptions,
    ): Promise<Answered<api.PaymentRouteSimulation>> =>
      send({ method: 'POST', path: `${pathOf(id)}/simulate`, body, options }),
    ...simulationsOf(send, pathOf, retrieve),
  }
}

type Retrieve = <Answer extends object>(
  resourcePath: string,
  options?: CallOptions,
) => Promise<Answered<Answer>>

function simulationsOf(send: Send, pathOf: (id: string) => string, retrieve: Retrieve) {
  const simulationPath = (id: string, simulationId: string) =>
    `${pathOf(id)}/simulations/${encodeId(simulationId)}`
  return {
    /** Starts a dry run in the background: how a revision would have routed past payments differently. */
    simulateHistory: (
      id: string,
      body: Pick<api.SimulatePaymentRoute, 'revision' | 'against' | 'against_default'> &
        Required<Pick<api.SimulatePaymentRoute, 'history'>>,
      options?: WriteOptions,
    ): Promise<Answered<api.RouteSimulation>> =>
      send({ method: 'POST', path: `${pathOf(id)}/simulate`, body, options }),
    /** Lists the dry runs of a route. */
    listSimulations: (
      id: string,
      query?: api.ListRouteSimulations,
      options?: CallOptions,
    ): List<api.RouteSimulation> => paginatedList(send, `${pathOf(id)}/simulations`, query, options),
    /** Retrieves a dry run with its progress, and its result when it is complete. */
    getSimulation: (
      id: string,
      simulationId: string,
      options?: CallOptions,
    ): Promise<Answered<api.RouteSimulation>> => retrieve(simulationPath(id, simulationId), options),
    /** Cancels a dry run within a second. A cancelled dry run has no result. */
    cancelSimulation: (
      id: string,
      simulationId: string,
      options?: WriteOptions,
    ): Promise<Answered<api.RouteSimulation>> =>
      send({ method: 'POST', path: `${simulationPath(id, simulationId)}/cancel`, options }),
  }
}
