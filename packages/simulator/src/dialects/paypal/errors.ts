/** Errors as PayPal reports them. Pure except for ids. */
import { randomBytes } from 'node:crypto'
import type { Reply } from '../../faults.ts'

export type Link = { readonly href: string; readonly rel: string; readonly method: string }

// biome-ignore format: a table.
const errors = {
  400: ['INVALID_REQUEST',        'Request is not well-formed, syntactically incorrect, or violates schema.'],
  401: ['AUTHENTICATION_FAILURE', 'Authentication failed due to missing authorization header, or invalid authentication credentials.'],
  403: ['NOT_AUTHORIZED',         'Authorization failed due to insufficient permissions.'],
  404: ['RESOURCE_NOT_FOUND',     'The specified resource does not exist.'],
  405: ['METHOD_NOT_SUPPORTED',   'The server does not implement the requested HTTP method.'],
  409: ['RESOURCE_CONFLICT',      'The server has detected a conflict while processing this request.'],
  415: ['UNSUPPORTED_MEDIA_TYPE', "The server does not support the request payload's media type."],
  422: ['UNPROCESSABLE_ENTITY',   'The requested action could not be performed, semantically incorrect, or failed business validation.'],
  429: ['RATE_LIMIT_REACHED',     'Too many requests. Blocked due to rate limiting.'],
  500: ['INTERNAL_SERVER_ERROR',  'An internal server error occurred.'],
  503: ['SERVICE_UNAVAILABLE',    'Service Unavailable.'],
} as const

type ErrorStatus = keyof typeof errors
export type ErrorDetail = { readonly issue: string; readonly field?: string; readonly description?: string }

export function errorBody(
  status: ErrorStatus,
  details: readonly ErrorDetail[] = [],
  links: readonly Link[] = [],
) {
  const [name, message] = errors[status]
  const described = details.map((detail) => ({
    ...(detail.field === undefined ? {} : { location: 'body' }),
    description: `${detail.issue.toLowerCase().replaceAll('_', ' ')}.`,
    ...detail,
  }))
  const debugId = randomBytes(7).toString('hex').slice(0, 13)
  return { name, message, debug_id: debugId, details: described, links }
}

export function errorReply(status: ErrorStatus, issue?: string, detail: Partial<ErrorDetail> = {}): Reply {
  return { status, body: errorBody(status, issue === undefined ? [] : [{ ...detail, issue }]) }
}

export const notFound = errorReply(404, 'INVALID_RESOURCE_ID')

/** The format of errors of the token endpoint, and of access tokens that have expired. */
export function oauthError(status: 400 | 401, error: string, description: string): Reply {
  return { status, body: { error, error_description: description } }
}
