/**
 * The status that the merchant's page receives for a state of the form. It never includes the payer's input. No side
 * effects.
 */
import type {
  ElementStatus,
  ElementsError,
  ElementsErrorCode,
  FrameMessage,
} from '../../../elements/src/messages.ts'
import type { Message, Notice, Receipt, State } from '../state.ts'
import { translate, translateCount } from '../translations.ts'
import { messageText } from '../view/advice.tsx'

export function statusOf(state: State): ElementStatus {
  switch (state.kind) {
    case 'form':
      return state.isSending ? 'submitting' : 'form'
    case 'waiting':
      return state.for === 'bank' ? 'requires_action' : 'processing'
    case 'receipt':
      return isPendingDebit(state) ? 'processing' : 'succeeded'
    default:
      return 'unavailable'
  }
}

type Result = Pick<Extract<FrameMessage, { type: 'result' }>, 'status' | 'error'>

/** Null while the outcome is not known and the payer waits for it. */
export function resultOf(state: State): Result | null {
  switch (state.kind) {
    case 'receipt':
      return { status: isPendingDebit(state) ? 'processing' : 'succeeded', error: null }
    case 'waiting':
      return state.for === 'unknown' ? { status: 'processing', error: null } : null
    case 'form':
      return state.isSending ? null : { status: 'failed', error: errorOf(state.message) }
    case 'notice':
      return {
        status: 'failed',
        error: errorWith(noticeCodes[state.notice], translate(`${state.notice}_text`)),
      }
    case 'loading':
      return null
  }
}

/** The bank confirms a debit days later. */
const isPendingDebit = ({ session }: Receipt) => session.payment?.status === 'processing'

export function invalidFields(count: number): Result {
  return { status: 'failed', error: errorWith('fields_invalid', translateCount('fix', count)) }
}

const messageCodes: Readonly<Record<Message['kind'], ElementsErrorCode>> = {
  declined: 'declined',
  offline: 'offline',
  unsent: 'unreachable',
  lost: 'connection_lost',
  limit: 'rate_limited',
  limit_card: 'rate_limited',
  busy: 'busy',
  card_incomplete: 'fields_invalid',
  field_errors: 'fields_invalid',
}

const noticeCodes: Readonly<Record<Notice, ElementsErrorCode>> = {
  not_found: 'session_invalid',
  expired: 'expired',
  completed: 'expired',
  inactive: 'expired',
  no_tries: 'expired',
  reopen: 'session_invalid',
  no_cards: 'cards_unavailable',
  unreachable: 'unreachable',
}

/** `message` is null if payments were rate limited and the payer decided not to wait. */
function errorOf(message: Message | null): ElementsError {
  if (message === null) return errorWith('rate_limited', translate('limit'))
  if (message.kind === 'field_errors')
    return errorWith('fields_invalid', translateCount('fix', message.fieldErrors.size))
  const advice = message.kind === 'declined' ? message.advice : null
  return { ...errorWith(messageCodes[message.kind], messageText(message)), advice_code: advice }
}

function errorWith(code: ElementsErrorCode, message: string): ElementsError {
  return { code, message, advice_code: null }
}
