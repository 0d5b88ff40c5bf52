/** Every operation of the API as a method, in the order of the reference. */
import { contentOf } from './events.ts'
import { type List, listOf } from './list.ts'
import { part, type Query } from './query.ts'
import type { Answered, CallOptions, DeleteOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function workspaceOf(send: Send) {
  const path = '/workspace'
  return {
    /** The workspace that the token belongs to. */
    get: (options?: CallOptions): Promise<Answered<api.Workspace>> => send({ method: 'GET', path, options }),
    /** Changes the name, or the version in which the workspace is answered. */
    update: (body: api.UpdateWorkspace, options?: UpdateOptions): Promise<Answered<api.Workspace>> =>
      send({ method: 'PUT', path, body, options }),
  }
}

export function meOf(send: Send) {
  return {
    /** The workspace, the role and the operations of the token. */
    get: (options?: CallOptions): Promise<Answered<api.Me>> => send({ method: 'GET', path: '/me', options }),
  }
}

export function peopleOf(send: Send) {
  return {
    /** The people of your organization. */
    list: (query?: api.ListPeople, options?: CallOptions): List<api.Person> =>
      pages(send, '/people', query, options),
  }
}

export function apiTokensOf(send: Send) {
  const path = '/api-tokens'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    /** The token itself is in the answer, this once. It is null if the answer is that of an earlier try. */
    create: (body: api.CreateApiToken, options?: WriteOptions): Promise<Answered<api.ShownApiToken>> =>
      send({ method: 'POST', path, body, options }),
    list: (query?: api.ListApiTokens, options?: CallOptions): List<api.ApiToken> =>
      pages(send, path, query, options),
    get: (id: string, options?: CallOptions): Promise<Answered<api.ApiToken>> =>
      send({ method: 'GET', path: at(id), options }),
    /** Gives the token a new text. The old one works on for `overlap_seconds`, an hour by default. */
    roll: (
      id: string,
      body: api.RollApiToken = {},
      options?: WriteOptions,
    ): Promise<Answered<api.ShownApiToken>> =>
      send({ method: 'POST', path: `${at(id)}/roll`, body, options }),
    /** Ends the token within five seconds, for good. */
    revoke: (id: string, options?: WriteOptions): Promise<Answered<api.ApiToken>> =>
      send({ method: 'POST', path: `${at(id)}/revoke`, options }),
  }
}

export function auditEntriesOf(send: Send) {
  return {
    /** Privileged acts of the workspace. */
    list: (query?: api.ListAuditEntries, options?: CallOptions): List<api.AuditEntry> =>
      pages(send, '/audit-entries', query, options),
  }
}

export function requestsOf(send: Send) {
  const path = '/requests'
  return {
    /** Your calls of the last 30 days. They appear a moment after their answer. */
    list: (query?: api.ListRequests, options?: CallOptions): List<api.LoggedRequest> =>
      pages(send, path, query, options),
    /** By the `requestId` of an answer or an error. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.LoggedRequest>> =>
      send({ method: 'GET', path: `${path}/${part(id)}`, options }),
  }
}

export function customersOf(send: Send) {
  const path = '/customers'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    create: (body: api.CreateCustomer, options?: WriteOptions): Promise<Answered<api.Customer>> =>
      send({ method: 'POST', path, body, options }),
    list: (query?: api.ListCustomers, options?: CallOptions): List<api.Customer> =>
      pages(send, path, query, options),
    get: (id: string, options?: CallOptions): Promise<Answered<api.Customer>> =>
      send({ method: 'GET', path: at(id), options }),
    /** Members that are not sent stay as they are, null clears. An address is replaced as a whole. */
    update: (
      id: string,
      body: api.UpdateCustomer,
      options?: UpdateOptions,
    ): Promise<Answered<api.Customer>> => send({ method: 'PUT', path: at(id), body, options }),
    /** Erases the personal data. Repeating it answers the same. */
    delete: (id: string, options?: DeleteOptions): Promise<Answered<api.DeletedCustomer>> =>
      send({ method: 'DELETE', path: at(id), options }),
  }
}

export function eventsOf(send: Send) {
  const path = '/events'
  return {
    get: (id: string, options?: CallOptions): Promise<Answered<api.Event>> =>
      send({ method: 'GET', path: `${path}/${part(id)}`, options }),
    /** By type or by object, not both. To follow events, receive them instead. */
    list: (query?: api.ListEvents, options?: CallOptions): List<api.Event> =>
      pages(send, path, query, options),
    /** The content of an event: its `data`, parsed and typed. */
    contentOf,
  }
}

export function eventTypesOf(send: Send) {
  return {
    /** Every type of event there is. */
    list: (options?: CallOptions): List<api.EventType> =>
      listOf(() => send({ method: 'GET', path: '/event-types', options })),
  }
}

function pages<Entry extends object>(
  send: Send,
  path: string,
  query: api.PageQuery | undefined,
  options: CallOptions | undefined,
): List<Entry> {
  return listOf((asked) => send({ method: 'GET', path, query: asked as Query, options }), query)
}
