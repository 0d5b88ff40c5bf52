import type { Message } from '../state.ts'
import { isWord, say, sayCount } from '../words.ts'

/** Above the form, and read out: what came of the last try, and what to do now. */
export function Advice({ message, faults }: { message: Message | null; faults: number }) {
  return (
    <div role="alert">
      {faults > 0 && <p class="advice wrong">{sayCount('fix', faults)}</p>}
      {faults === 0 && message !== null && message.is !== 'faults' && (
        <div class="advice panel" tabIndex={-1}>
          {message.is === 'declined' && <strong>{say('declined')}</strong>}
          <p>{sentenceOf(message)}</p>
        </div>
      )}
    </div>
  )
}

function sentenceOf(message: Exclude<Message, { is: 'faults' }>): string {
  if (message.is === 'unsent') return say('try_again')
  if (message.is !== 'declined') return say(message.is)
  return say(isWord(message.advice) ? message.advice : 'other_method')
}
