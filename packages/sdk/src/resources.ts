/** Operations of the API as methods, in the order of the reference; those of payments are in `payments.ts`. */
import { contentOf, type TypedEvent, withContent } from './events.ts'
import { type List, listOf, pages } from './list.ts'
import { part, type Query } from './query.ts'
import type { Answered, CallOptions, DeleteOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type { Follow } from './stream.ts'
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

export function apiTokensOf(send: Send) {
  const path = '/api-tokens'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    /** The token itself is in the answer, this once. It is null if the answer is that of an earlier try. */
    create: (body: api.CreateApiToken, options?: WriteOptions): Promise<Answered<api.ShownApiToken>> =>
      send({ method: 'POST', path, body, options }),
    /** All tokens of the workspace, without their texts. */
    list: (query?: api.ListApiTokens, options?: CallOptions): List<api.ApiToken> =>
      pages(send, path, query, options),
    /** One token, without its text. */
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

export function webhookEndpointsOf(send: Send) {
  const path = '/webhook-endpoints'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    /** Events of the types it asks for are sent there from now on. */
    create: (
      body: api.CreateWebhookEndpoint,
      options?: WriteOptions,
    ): Promise<Answered<api.WebhookEndpoint>> => send({ method: 'POST', path, body, options }),
    /** All endpoints of the workspace. */
    list: (query?: api.ListWebhookEndpoints, options?: CallOptions): List<api.WebhookEndpoint> =>
      pages(send, path, query, options),
    /** One endpoint, without its secret. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.WebhookEndpoint>> =>
      send({ method: 'GET', path: at(id), options }),
    /** Members that are not sent stay as they are, null clears. */
    update: (
      id: string,
      body: api.UpdateWebhookEndpoint,
      options?: UpdateOptions,
    ): Promise<Answered<api.WebhookEndpoint>> => send({ method: 'PUT', path: at(id), body, options }),
    /** What still waits for it is not sent any more. Repeating it answers the same. */
    delete: (id: string, options?: DeleteOptions): Promise<Answered<api.DeletedWebhookEndpoint>> =>
      send({ method: 'DELETE', path: at(id), options }),
    /** What was held while it was disabled is sent now, unless `recover` is `none`. */
    enable: (
      id: string,
      body: api.EnableWebhookEndpoint = {},
      options?: WriteOptions,
    ): Promise<Answered<api.WebhookEndpoint>> =>
      send({ method: 'POST', path: `${at(id)}/enable`, body, options }),
    /** Nothing is lost: its events are held for 30 days, and sent when it is enabled. */
    disable: (id: string, options?: WriteOptions): Promise<Answered<api.WebhookEndpoint>> =>
      send({ method: 'POST', path: `${at(id)}/disable`, options }),
    /** The endpoint with its signing secret, for tokens of the role ADMIN. Each call is audited. */
    revealSecret: (id: string, options?: CallOptions): Promise<Answered<api.RevealedWebhookEndpoint>> =>
      send({ method: 'GET', path: `${at(id)}/reveal_secret`, options }),
    /** A new secret signs at once; earlier ones go on for `overlap_seconds`, a day by default. */
    rotateSecret: (
      id: string,
      body: api.RotateSecretWebhookEndpoint = {},
      options?: WriteOptions,
    ): Promise<Answered<api.WebhookEndpoint>> =>
      send({ method: 'POST', path: `${at(id)}/rotate_secret`, body, options }),
    /** Sends it an event in one attempt, also while it is disabled, and waits for what comes of it. */
    test: (
      id: string,
      body: api.TestWebhookEndpoint = {},
      options?: WriteOptions,
    ): Promise<Answered<api.DeliveryWithAttempts>> =>
      send({ method: 'POST', path: `${at(id)}/test`, body, options }),
    /** How its latest 1,000 deliveries fared. */
    figures: (id: string, options?: CallOptions): Promise<Answered<api.WebhookEndpointFigures>> =>
      send({ method: 'GET', path: `${at(id)}/figures`, options }),
    ...recoveriesOf(send, at),
  }
}

function recoveriesOf(send: Send, at: (endpointId: string) => string) {
  return {
    /** Sends it what it missed, in the background. One recovery runs at a time. */
    recover: (
      id: string,
      body: api.CreateWebhookRecovery,
      options?: WriteOptions,
    ): Promise<Answered<api.WebhookRecovery>> =>
      send({ method: 'POST', path: `${at(id)}/recover`, body, options }),
    /** The recoveries of one endpoint. */
    listRecoveries: (
      id: string,
      query?: api.ListWebhookRecoveries,
      options?: CallOptions,
    ): List<api.WebhookRecovery> => pages(send, `${at(id)}/recoveries`, query, options),
    /** How far a recovery has come. */
    getRecovery: (
      id: string,
      recoveryId: string,
      options?: CallOptions,
    ): Promise<Answered<api.WebhookRecovery>> =>
      send({ method: 'GET', path: `${at(id)}/recoveries/${part(recoveryId)}`, options }),
    /** What it has released already is sent; nothing more is. */
    cancelRecovery: (
      id: string,
      recoveryId: string,
      options?: WriteOptions,
    ): Promise<Answered<api.WebhookRecovery>> =>
      send({ method: 'POST', path: `${at(id)}/recoveries/${part(recoveryId)}/cancel`, options }),
  }
}

export function deliveriesOf(send: Send) {
  const at = (id: string) => `/deliveries/${part(id)}`
  return {
    /** Those of one endpoint in the last 30 days: all, or those that are `held` or `exhausted`. */
    list: (endpointId: string, query?: api.ListDeliveries, options?: CallOptions): List<api.Delivery> =>
      pages(send, `/webhook-endpoints/${part(endpointId)}/deliveries`, query, options),
    /** Those of all endpoints: all, or those of one event. */
    listAll: (query?: api.ListAllDeliveries, options?: CallOptions): List<api.Delivery> =>
      pages(send, '/deliveries', query, options),
    /** With its attempts. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.DeliveryWithAttempts>> =>
      send({ method: 'GET', path: at(id), options }),
    /** At once, before everything that waits for the endpoint. The event keeps its id. */
    resend: (id: string, options?: WriteOptions): Promise<Answered<api.Delivery>> =>
      send({ method: 'POST', path: `${at(id)}/resend`, options }),
  }
}

export function testClocksOf(send: Send) {
  const path = '/test-clocks'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    /** A clock of the test environment. A customer that is created with it lives in its time. */
    create: (body: api.CreateTestClock = {}, options?: WriteOptions): Promise<Answered<api.TestClock>> =>
      send({ method: 'POST', path, body, options }),
    /** The clocks of the workspace. */
    list: (query?: api.ListTestClocks, options?: CallOptions): List<api.TestClock> =>
      pages(send, path, query, options),
    /** What time it is on one, and whether it is still `advancing`. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.TestClock>> =>
      send({ method: 'GET', path: at(id), options }),
    /** Time passes on it. If the answer is still `advancing`, it goes on by itself. */
    advance: (
      id: string,
      body: api.AdvanceTestClock,
      options?: WriteOptions,
    ): Promise<Answered<api.TestClock>> => send({ method: 'POST', path: `${at(id)}/advance`, body, options }),
    /** What happened on it, the first thing first. */
    timeline: (id: string, query?: api.TimelineTestClocks, options?: CallOptions): List<api.TestClockEntry> =>
      pages(send, `${at(id)}/timeline`, query, options),
    /** It no longer moves; what lives on it stays as it is. Repeating it answers the same. */
    delete: (id: string, options?: DeleteOptions): Promise<Answered<api.DeletedTestClock>> =>
      send({ method: 'DELETE', path: at(id), options }),
  }
}

export function customersOf(send: Send) {
  const path = '/customers'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    /** Every member is optional. With `test_clock_id` it lives in the time of that clock. */
    create: (body: api.CreateCustomer, options?: WriteOptions): Promise<Answered<api.Customer>> =>
      send({ method: 'POST', path, body, options }),
    /** Those that are not deleted, all or by `email`. */
    list: (query?: api.ListCustomers, options?: CallOptions): List<api.Customer> =>
      pages(send, path, query, options),
    /** One customer, by its id. */
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

export function tokensOf(send: Send) {
  return {
    /** Of a card that a payer typed, on the page and with a publishable token. It can be used once, for 15 minutes. */
    create: (body: api.CreateToken, options?: WriteOptions): Promise<Answered<api.Token>> =>
      send({ method: 'POST', path: '/tokens', body, options }),
  }
}

export function vaultOf(send: Send) {
  const path = '/vault'
  return {
    /** Whether the workspace takes card numbers, and what is missing if it does not. */
    get: (options?: CallOptions): Promise<Answered<api.Vault>> => send({ method: 'GET', path, options }),
    /** Says that you know what taking card numbers means. The sentence stands in the answer of `get`. */
    confirm: (body: api.ConfirmVault, options?: WriteOptions): Promise<Answered<api.Vault>> =>
      send({ method: 'POST', path: `${path}/confirm`, body, options }),
  }
}

export function providerAccountsOf(send: Send) {
  const path = '/provider-accounts'
  const at = (id: string) => `${path}/${part(id)}`
  return {
    /** The secret is in the answer, this once. It is null if the answer is that of an earlier try. */
    create: (
      body: api.CreateProviderAccount,
      options?: WriteOptions,
    ): Promise<Answered<api.RevealedProviderAccount>> => send({ method: 'POST', path, body, options }),
    /** The accounts of the workspace, without their secrets. */
    list: (query?: api.ListProviderAccounts, options?: CallOptions): List<api.ProviderAccount> =>
      pages(send, path, query, options),
    /** One account, with its status, its capabilities and how it fares. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.ProviderAccount>> =>
      send({ method: 'GET', path: at(id), options }),
    /** Members that are not sent stay as they are. With another `base_url` it has to be checked anew. */
    update: (
      id: string,
      body: api.UpdateProviderAccount,
      options?: UpdateOptions,
    ): Promise<Answered<api.ProviderAccount>> => send({ method: 'PUT', path: at(id), body, options }),
    /** What became of its calls over a time, for a chart. Without `from` and `to`, of the last day. */
    health: (
      id: string,
      query?: api.HealthProviderAccounts,
      options?: CallOptions,
    ): Promise<Answered<api.ProviderAccountHealth>> =>
      send({ method: 'GET', path: `${at(id)}/health`, query: { ...query }, options }),
    /** It gets new payments again. */
    enable: (id: string, options?: WriteOptions): Promise<Answered<api.ProviderAccount>> =>
      send({ method: 'POST', path: `${at(id)}/enable`, options }),
    /** It gets no new payments. Captures and refunds of earlier ones go on. */
    disable: (id: string, options?: WriteOptions): Promise<Answered<api.ProviderAccount>> =>
      send({ method: 'POST', path: `${at(id)}/disable`, options }),
    /** For good. It is refused while something that was sent there has not ended. */
    archive: (id: string, options?: WriteOptions): Promise<Answered<api.ProviderAccount>> =>
      send({ method: 'POST', path: `${at(id)}/archive`, options }),
    /** Until `until_at` it gets no new payments. */
    hold: (
      id: string,
      body: api.HoldProviderAccount,
      options?: WriteOptions,
    ): Promise<Answered<api.ProviderAccount>> =>
      send({ method: 'POST', path: `${at(id)}/hold`, body, options }),
    /** Ends a hold before its time. */
    release: (id: string, options?: WriteOptions): Promise<Answered<api.ProviderAccount>> =>
      send({ method: 'POST', path: `${at(id)}/release`, options }),
    /** Asks the provider whether it keeps the promises of the protocol, and waits for what comes of it. */
    check: (id: string, options?: WriteOptions): Promise<Answered<api.ProviderAccount>> =>
      send({ method: 'POST', path: `${at(id)}/check`, options }),
    /** The new secret is in the answer, this once; the earlier one goes on for `overlap_seconds`. */
    rotateSecret: (
      id: string,
      body: api.RotateSecretProviderAccount = {},
      options?: WriteOptions,
    ): Promise<Answered<api.RevealedProviderAccount>> =>
      send({ method: 'POST', path: `${at(id)}/rotate_secret`, body, options }),
  }
}

export function eventsOf(send: Send, follow: Follow) {
  const path = '/events'
  return {
    /** One event, by its id. Its `content` is `data`, parsed; look at `type` first. */
    get: async (id: string, options?: CallOptions): Promise<Answered<TypedEvent>> =>
      withContent(await send<api.Event>({ method: 'GET', path: `${path}/${part(id)}`, options })),
    /** By type or by object, not both. To follow events, use `stream`, or receive them. */
    list: (query?: api.ListEvents, options?: CallOptions): List<TypedEvent> =>
      listOf(async (asked) => {
        const page = await send<api.Page<TypedEvent>>({ method: 'GET', path, query: asked as Query, options })
        page.data.forEach(withContent)
        return page
      }, query),
    /** To the endpoints that are named, or to those that ask for its type now or had it. */
    resend: (
      id: string,
      body: api.ResendEvent = {},
      options?: WriteOptions,
    ): Promise<Answered<api.Page<api.Delivery>>> =>
      send({ method: 'POST', path: `${path}/${part(id)}/resend`, body, options }),
    /** Events as they happen, for as long as the loop lasts. It connects again by itself and misses none. */
    stream: follow,
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
