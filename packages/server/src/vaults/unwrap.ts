/**
 * Determines who responded to a call through a vault. The rules have no side effects and are all in this
 * file, because a mistake here could charge the payer twice: after `refused`, another attempt is allowed.
 */
import type { HttpReply } from '../providers/contract.ts'
import type { Unwrapped } from './contract.ts'

/**
 * The vault reports the provider's status in a separate header. If the header is present, the response is
 * from the provider. Without it, a client error other than a timeout proves that the vault has rejected the
 * call before it was forwarded.
 */
export function unwrapByStatusHeader(reply: HttpReply, header: string, vault: string): Unwrapped {
  const text = reply.headers[header]
  if (text !== undefined) return fromProvider(reply, text, vault)
  const { status } = reply
  const isRejection = status >= 400 && status < 500 && status !== 408
  if (isRejection)
    return {
      is: 'refused',
      fault: {
        code: 'vault_rejected',
        message: `${vault} rejected the call with status ${status}, so it did not reach the provider.`,
      },
    }
  return unknown(`${vault} responded with status ${status}, and may have called the provider.`)
}

function fromProvider(reply: HttpReply, text: string, vault: string): Unwrapped {
  const status = Number(text)
  const isStatus = Number.isInteger(status) && status >= 100 && status <= 599
  // Two different statuses contradict each other, so they prove nothing.
  if (!isStatus || status !== reply.status)
    return unknown(`${vault} reported a status of the provider that differs from its response.`)
  return { is: 'provider', reply }
}

function unknown(message: string): Unwrapped {
  return { is: 'unknown', fault: { code: 'vault_unavailable', message } }
}
