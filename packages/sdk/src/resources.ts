/** Methods for the resources of the API that have no separate file. */
import { contentOf, type TypedEvent, withContent } from './events.ts'
import { type List, listOf, paginatedList } from './list.ts'
import { encodeId, type Query } from './query.ts'
import type { Answered, CallOptions, DeleteOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type { OpenEventStream } from './stream.ts'
import type * as api from './types.generated.ts'

export function workspaceOf(send: Send) {
  const path = '/workspace'
  return {
    /** Retrieves the workspace of the token. */
    get: (options?: CallOptions): Promise<Answered<api.Workspace>> => send({ method: 'GET', path, options }),
    /** Updates the workspace, such as its name or its default API version. */
    update: (body: api.UpdateWorkspace, options?: UpdateOptions): Promise<Answered<api.Workspace>> =>
      send({ method: 'PUT', path, body, options }),
  }
}

export function meOf(send: Send) {
  return {
    /** Retrieves the workspace, the role and the allowed operations of the token. */
    get: (options?: CallOptions): Promise<Answered<api.Me>> => send({ method: 'GET', path: '/me', options }),
  }
}

export function apiTokensOf(send: Send) {
  const path = '/api-tokens'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Creates a token. Only this response contains its secret value; it is null if the response is a replay. */
    create: (body: api.CreateApiToken, options?: WriteOptions): Promise<Answered<api.ShownApiToken>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists the tokens of the workspace, without their secret values. */
    list: (query?: api.ListApiTokens, options?: CallOptions): List<api.ApiToken> =>
      paginatedList(send, path, query, options),
    /** Retrieves a token, without its secret value. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.ApiToken>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Replaces the secret value. The old one stays valid for `overlap_seconds`, by default one hour. */
    roll: (
      id: string,
      body: api.RollApiToken = {},
      options?: WriteOptions,
    ): Promise<Answered<api.ShownApiToken>> =>
      send({ method: 'POST', path: `${pathOf(id)}/roll`, body, options }),
    /** Revokes the token permanently, within five seconds. */
    revoke: (id: string, options?: WriteOptions): Promise<Answered<api.ApiToken>> =>
      send({ method: 'POST', path: `${pathOf(id)}/revoke`, options }),
  }
}

export function auditEntriesOf(send: Send) {
  return {
    /** Lists the admin actions in the workspace. */
    list: (query?: api.ListAuditEntries, options?: CallOptions): List<api.AuditEntry> =>
      paginatedList(send, '/audit-entries', query, options),
  }
}

export function requestsOf(send: Send) {
  const path = '/requests'
  return {
    /** Lists your API requests of the last 30 days. They appear shortly after their response. */
    list: (query?: api.ListRequests, options?: CallOptions): List<api.LoggedRequest> =>
      paginatedList(send, path, query, options),
    /** Retrieves a request by the `requestId` of a response or an error. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.LoggedRequest>> =>
      send({ method: 'GET', path: `${path}/${encodeId(id)}`, options }),
  }
}

export function webhookEndpointsOf(send: Send) {
  const path = '/webhook-endpoints'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Creates an endpoint. It receives the events of its types from now on. */
    create: (
      body: api.CreateWebhookEndpoint,
      options?: WriteOptions,
    ): Promise<Answered<api.WebhookEndpoint>> => send({ method: 'POST', path, body, options }),
    /** Lists the endpoints of the workspace. */
    list: (query?: api.ListWebhookEndpoints, options?: CallOptions): List<api.WebhookEndpoint> =>
      paginatedList(send, path, query, options),
    /** Retrieves an endpoint, without its secret. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.WebhookEndpoint>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Omitted members stay unchanged; null clears a member. */
    update: (
      id: string,
      body: api.UpdateWebhookEndpoint,
      options?: UpdateOptions,
    ): Promise<Answered<api.WebhookEndpoint>> => send({ method: 'PUT', path: pathOf(id), body, options }),
    /** Deletes an endpoint. Pending deliveries are not sent. Deleting it again returns the same response. */
    delete: (id: string, options?: DeleteOptions): Promise<Answered<api.DeletedWebhookEndpoint>> =>
      send({ method: 'DELETE', path: pathOf(id), options }),
    /** Enables the endpoint and sends the deliveries that were held, unless `recover` is `none`. */
    enable: (
      id: string,
      body: api.EnableWebhookEndpoint = {},
      options?: WriteOptions,
    ): Promise<Answered<api.WebhookEndpoint>> =>
      send({ method: 'POST', path: `${pathOf(id)}/enable`, body, options }),
    /** Disables the endpoint. Its events are held for 30 days, and sent when it is enabled again. */
    disable: (id: string, options?: WriteOptions): Promise<Answered<api.WebhookEndpoint>> =>
      send({ method: 'POST', path: `${pathOf(id)}/disable`, options }),
    /** Retrieves the endpoint with its signing secret. Requires the role ADMIN; each call is audited. */
    revealSecret: (id: string, options?: CallOptions): Promise<Answered<api.RevealedWebhookEndpoint>> =>
      send({ method: 'GET', path: `${pathOf(id)}/reveal_secret`, options }),
    /** Creates a new secret, used immediately. Old secrets also sign for `overlap_seconds`, by default one day. */
    rotateSecret: (
      id: string,
      body: api.RotateSecretWebhookEndpoint = {},
      options?: WriteOptions,
    ): Promise<Answered<api.WebhookEndpoint>> =>
      send({ method: 'POST', path: `${pathOf(id)}/rotate_secret`, body, options }),
    /** Sends a test event in one attempt, even if the endpoint is disabled, and waits for the result. */
    test: (
      id: string,
      body: api.TestWebhookEndpoint = {},
      options?: WriteOptions,
    ): Promise<Answered<api.DeliveryWithAttempts>> =>
      send({ method: 'POST', path: `${pathOf(id)}/test`, body, options }),
    /** Statistics of the latest 1,000 deliveries. */
    figures: (id: string, options?: CallOptions): Promise<Answered<api.WebhookEndpointFigures>> =>
      send({ method: 'GET', path: `${pathOf(id)}/figures`, options }),
    ...recoveriesOf(send, pathOf),
  }
}

function recoveriesOf(send: Send, pathOf: (endpointId: string) => string) {
  return {
    /** Sends missed events again, in the background. Only one recovery per endpoint can run at a time. */
    recover: (
      id: string,
      body: api.CreateWebhookRecovery,
      options?: WriteOptions,
    ): Promise<Answered<api.WebhookRecovery>> =>
      send({ method: 'POST', path: `${pathOf(id)}/recover`, body, options }),
    /** Lists the recoveries of an endpoint. */
    listRecoveries: (
      id: string,
      query?: api.ListWebhookRecoveries,
      options?: CallOptions,
    ): List<api.WebhookRecovery> => paginatedList(send, `${pathOf(id)}/recoveries`, query, options),
    /** Retrieves a recovery with its progress. */
    getRecovery: (
      id: string,
      recoveryId: string,
      options?: CallOptions,
    ): Promise<Answered<api.WebhookRecovery>> =>
      send({ method: 'GET', path: `${pathOf(id)}/recoveries/${encodeId(recoveryId)}`, options }),
    /** Cancels a recovery. Deliveries that it has already released are still sent. */
    cancelRecovery: (
      id: string,
      recoveryId: string,
      options?: WriteOptions,
    ): Promise<Answered<api.WebhookRecovery>> =>
      send({ method: 'POST', path: `${pathOf(id)}/recoveries/${encodeId(recoveryId)}/cancel`, options }),
  }
}

export function deliveriesOf(send: Send) {
  const pathOf = (id: string) => `/deliveries/${encodeId(id)}`
  return {
    /** Lists deliveries to one endpoint in the last 30 days, optionally only `held` or `exhausted` ones. */
    list: (endpointId: string, query?: api.ListDeliveries, options?: CallOptions): List<api.Delivery> =>
      paginatedList(send, `/webhook-endpoints/${encodeId(endpointId)}/deliveries`, query, options),
    /** Lists deliveries to all endpoints, optionally of one event. */
    listAll: (query?: api.ListAllDeliveries, options?: CallOptions): List<api.Delivery> =>
      paginatedList(send, '/deliveries', query, options),
    /** Retrieves a delivery with its attempts. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.DeliveryWithAttempts>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Sends the delivery again immediately, ahead of pending ones. The event keeps its id. */
    resend: (id: string, options?: WriteOptions): Promise<Answered<api.Delivery>> =>
      send({ method: 'POST', path: `${pathOf(id)}/resend`, options }),
  }
}

export function testClocksOf(send: Send) {
  const path = '/test-clocks'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Creates a clock in test mode. Customers created with it use its time. */
    create: (body: api.CreateTestClock = {}, options?: WriteOptions): Promise<Answered<api.TestClock>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists the clocks of the workspace. */
    list: (query?: api.ListTestClocks, options?: CallOptions): List<api.TestClock> =>
      paginatedList(send, path, query, options),
    /** Retrieves a clock with its current time, and whether it is still `advancing`. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.TestClock>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Advances the clock. If the response is still `advancing`, the clock continues in the background. */
    advance: (
      id: string,
      body: api.AdvanceTestClock,
      options?: WriteOptions,
    ): Promise<Answered<api.TestClock>> =>
      send({ method: 'POST', path: `${pathOf(id)}/advance`, body, options }),
    /** Lists what happened on the clock, oldest first. */
    timeline: (id: string, query?: api.TimelineTestClocks, options?: CallOptions): List<api.TestClockEntry> =>
      paginatedList(send, `${pathOf(id)}/timeline`, query, options),
    /** Deletes the clock. Objects on it stay unchanged. Deleting it again returns the same response. */
    delete: (id: string, options?: DeleteOptions): Promise<Answered<api.DeletedTestClock>> =>
      send({ method: 'DELETE', path: pathOf(id), options }),
  }
}

/** `cancel` cancels active subscriptions. Otherwise a customer with active subscriptions cannot be deleted. */
type DeleteCustomerOptions = DeleteOptions & {
  readonly subscriptions?: 'refuse' | 'cancel' | undefined
}

export function customersOf(send: Send) {
  const path = '/customers'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /** Creates a customer. Every member is optional. With `test_clock_id` the customer uses that clock's time. */
    create: (body: api.CreateCustomer, options?: WriteOptions): Promise<Answered<api.Customer>> =>
      send({ method: 'POST', path, body, options }),
    /** Lists customers that are not deleted, optionally by `email`. */
    list: (query?: api.ListCustomers, options?: CallOptions): List<api.Customer> =>
      paginatedList(send, path, query, options),
    /** Retrieves a customer. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Customer>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Omitted members stay unchanged; null clears a member. An address is replaced as a whole. */
    update: (
      id: string,
      body: api.UpdateCustomer,
      options?: UpdateOptions,
    ): Promise<Answered<api.Customer>> => send({ method: 'PUT', path: pathOf(id), body, options }),
    /** Deletes a customer and their personal data. `subscriptions: 'cancel'` cancels active subscriptions. */
    delete: (
      id: string,
      { subscriptions, ...options }: DeleteCustomerOptions = {},
    ): Promise<Answered<api.DeletedCustomer>> =>
      send({ method: 'DELETE', path: pathOf(id), query: { subscriptions }, options }),
    /** Retrieves the discounts of a customer, which reduce all their subscriptions. */
    discounts: (id: string, options?: CallOptions): Promise<Answered<api.CustomerDiscounts>> =>
      send({ method: 'GET', path: `${pathOf(id)}/discounts`, options }),
    /** Replaces the discounts of a customer. */
    updateDiscounts: (
      id: string,
      body: api.UpdateDiscountsCustomer,
      options?: UpdateOptions,
    ): Promise<Answered<api.CustomerDiscounts>> =>
      send({ method: 'PUT', path: `${pathOf(id)}/discounts`, body, options }),
    /** Creates a link, valid for 7 days, with which the customer replaces the card of their subscriptions. */
    updatePaymentMethodLink: (
      id: string,
      body?: api.UpdatePaymentMethodLinkCustomer,
      options?: WriteOptions,
    ): Promise<Answered<api.CheckoutSession>> =>
      send({ method: 'POST', path: `${pathOf(id)}/update-payment-method-link`, body, options }),
  }
}

export function tokensOf(send: Send) {
  return {
    /** Tokenizes a card in the browser, with a publishable token. The result is single-use and expires in 15 minutes. */
    create: (body: api.CreateToken, options?: WriteOptions): Promise<Answered<api.Token>> =>
      send({ method: 'POST', path: '/tokens', body, options }),
  }
}

export function vaultOf(send: Send) {
  const path = '/vault'
  return {
    /** Whether the workspace accepts raw card numbers, and if not, what is missing. */
    get: (options?: CallOptions): Promise<Answered<api.Vault>> => send({ method: 'GET', path, options }),
    /** Confirms that you understand the duties of handling card numbers. `get` returns the required sentence. */
    confirm: (body: api.ConfirmVault, options?: WriteOptions): Promise<Answered<api.Vault>> =>
      send({ method: 'POST', path: `${path}/confirm`, body, options }),
  }
}

export function providersOf(send: Send) {
  return {
    /** Lists all providers, with the credentials and settings that an account with each needs. */
    list: (options?: CallOptions): List<api.Provider> =>
      listOf(() => send({ method: 'GET', path: '/providers', options })),
  }
}

export function providerAccountsOf(send: Send) {
  const path = '/provider-accounts'
  const pathOf = (id: string) => `${path}/${encodeId(id)}`
  return {
    /**
     * Creates an account. Only this response contains the secret of a custom provider; it is null if the response is a
     * replay. No response contains the credentials of a connector.
     */
    create: (
      body: api.CreateProviderAccount,
      options?: WriteOptions,
    ): Promise<Answered<api.RevealedProviderAccount>> => send({ method: 'POST', path, body, options }),
    /** Lists the accounts of the workspace, without their secrets. */
    list: (query?: api.ListProviderAccounts, options?: CallOptions): List<api.ProviderAccount> =>
      paginatedList(send, path, query, options),
    /** Retrieves an account with its status, capabilities and health. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.ProviderAccount>> =>
      send({ method: 'GET', path: pathOf(id), options }),
    /** Omitted members stay unchanged. After a change of `base_url` the account has to be checked again. */
    update: (
      id: string,
      body: api.UpdateProviderAccount,
      options?: UpdateOptions,
    ): Promise<Answered<api.ProviderAccount>> => send({ method: 'PUT', path: pathOf(id), body, options }),
    /** Outcomes of calls over time, for a chart. Default: the last day. */
    health: (
      id: string,
      query?: api.HealthProviderAccounts,
      options?: CallOptions,
    ): Promise<Answered<api.ProviderAccountHealth>> =>
      send({ method: 'GET', path: `${pathOf(id)}/health`, query: { ...query }, options }),
    /** Lists what payments have cost, by segment, from the fees in settlement reports. */
    settledCosts: (id: string, options?: CallOptions): List<api.SettledCost> =>
      listOf(() => send({ method: 'GET', path: `${pathOf(id)}/settled-costs`, options })),
    /** Enables the account for new payments. */
    enable: (id: string, options?: WriteOptions): Promise<Answered<api.ProviderAccount>> =>
      send({ method: 'POST', path: `${pathOf(id)}/enable`, options }),
    /** Stops new payments to the account. Captures and refunds of earlier payments still work. */
    disable: (id: string, options?: WriteOptions): Promise<Answered<api.ProviderAccount>> =>
      send({ method: 'POST', path: `${pathOf(id)}/disable`, options }),
    /** Archives the account permanently. Fails while operations at this account are still open. */
    archive: (id: string, options?: WriteOptions): Promise<Answered<api.ProviderAccount>> =>
      send({ method: 'POST', path: `${pathOf(id)}/archive`, options }),
    /** Stops new payments to the account until `until_at`. */
    hold: (
      id: string,
      body: api.HoldProviderAccount,
      options?: WriteOptions,
    ): Promise<Answered<api.ProviderAccount>> =>
      send({ method: 'POST', path: `${pathOf(id)}/hold`, body, options }),
    /** Ends a hold early. */
    release: (id: string, options?: WriteOptions): Promise<Answered<api.ProviderAccount>> =>
      send({ method: 'POST', path: `${pathOf(id)}/release`, options }),
    /** Runs the protocol checks against the provider, or checks the credentials of a connector. Waits for the result. */
    check: (id: string, options?: WriteOptions): Promise<Answered<api.ProviderAccount>> =>
      send({ method: 'POST', path: `${pathOf(id)}/check`, options }),
    /**
     * Creates a new secret, only in this response, or replaces the credentials of a connector. The old ones stay valid for
     * `overlap_seconds`.
     */
    rotateSecret: (
      id: string,
      body: api.RotateSecretProviderAccount = {},
      options?: WriteOptions,
    ): Promise<Answered<api.RevealedProviderAccount>> =>
      send({ method: 'POST', path: `${pathOf(id)}/rotate_secret`, body, options }),
  }
}

export function eventsOf(send: Send, stream: OpenEventStream) {
  const path = '/events'
  return {
    /** Retrieves an event. Its `content` is the parsed `data`; check `type` first. */
    get: async (id: string, options?: CallOptions): Promise<Answered<TypedEvent>> =>
      withContent(await send<api.Event>({ method: 'GET', path: `${path}/${encodeId(id)}`, options })),
    /** Lists events, optionally by type or by object, not both. To follow events, use `stream` or webhooks. */
    list: (query?: api.ListEvents, options?: CallOptions): List<TypedEvent> =>
      listOf(async (pageQuery) => {
        const page = await send<api.Page<TypedEvent>>({
          method: 'GET',
          path,
          query: pageQuery as Query,
          options,
        })
        page.data.forEach(withContent)
        return page
      }, query),
    /** Sends the event again. Default: to all endpoints that subscribe to its type or have received it before. */
    resend: (
      id: string,
      body: api.ResendEvent = {},
      options?: WriteOptions,
    ): Promise<Answered<api.Page<api.Delivery>>> =>
      send({ method: 'POST', path: `${path}/${encodeId(id)}/resend`, body, options }),
    /** Streams events as they happen. It reconnects automatically and misses none. */
    stream,
    /** Parses the `data` of an event. */
    contentOf,
  }
}

export function eventTypesOf(send: Send) {
  return {
    /** Lists all event types. */
    list: (options?: CallOptions): List<api.EventType> =>
      listOf(() => send({ method: 'GET', path: '/event-types', options })),
  }
}
