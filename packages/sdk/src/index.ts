export { Switchyard } from './client.ts'
export { exponentOf } from './currencies.generated.ts'
export {
  AuthenticationError,
  ConnectionError,
  DeclineError,
  type Fault,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  StateError,
  SwitchyardError,
  UnknownOutcomeError,
  type WebhookRefusal,
  WebhookVerificationError,
  WrongCellError,
} from './errors.ts'
export {
  type ContentOf,
  type EventContent,
  type EventOf,
  type TypedEvent,
  type UnknownEvent,
  unknownEvent,
} from './events.ts'
export type { List } from './list.ts'
export type {
  Answered,
  CallOptions,
  DeleteOptions,
  ResponseInfo,
  UpdateOptions,
  UploadContent,
  WriteOptions,
} from './send.ts'
export type { RequestReport, SwitchyardOptions } from './settings.ts'
export type { EventStream, StreamedEvent, StreamQuery } from './stream.ts'
export type * from './types.generated.ts'
export { apiVersion } from './types.generated.ts'
export {
  type SeenEvents,
  type WebhookEventOf,
  type WebhookHandler,
  type WebhookHandlerOptions,
  webhookHandler,
} from './webhook-handler.ts'
export {
  type SignedWebhook,
  signWebhook,
  type VerifyWebhook,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
} from './webhooks.ts'
