import type { Message } from '../state.ts'
import { isMessageKey, translate, translateCount } from '../translations.ts'

/**
 * The message above the form, which screen readers announce: the result of the last attempt, and what to do.
 */
export function Advice({ message, errorCount }: { message: Message | null; errorCount: number }) {
  return (
    <div role="alert">
      {errorCount > 0 && <p class="advice wrong">{translateCount('fix', errorCount)}</p>}
      {errorCount === 0 && message !== null && message.kind !== 'field_errors' && (
        <div class="advice panel" tabIndex={-1}>
          {message.kind === 'declined' && <strong>{translate('declined')}</strong>}
          <p>{messageText(message)}</p>
        </div>
      )}
    </div>
  )
}

export function messageText(message: Exclude<Message, { kind: 'field_errors' }>): string {
  if (message.kind === 'unsent') return translate('try_again')
  if (message.kind !== 'declined') return translate(message.kind)
  return translate(isMessageKey(message.advice) ? message.advice : 'other_method')
}
