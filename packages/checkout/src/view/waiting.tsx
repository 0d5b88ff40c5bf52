/** While the outcome is open. Nothing here invites to pay again. */
import { useEffect, useRef } from 'preact/hooks'
import { moneyText } from '../money.ts'
import type { Waiting } from '../state.ts'
import type { Till } from '../till.ts'
import { currentLocale, say } from '../words.ts'

const titles = { processing: 'processing', unknown: 'unknown', lost: 'reconnecting', bank: 'bank' } as const

export function WaitingPanel({ waiting, till }: { waiting: Waiting; till: Till }) {
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [waiting.for])
  return (
    <div class="panel waiting" role="status">
      {/* Only what goes on by itself moves; the bank waits for the payer. */}
      {waiting.for !== 'bank' && (
        <span class={waiting.for === 'unknown' ? 'ring' : 'moving'} aria-hidden="true" />
      )}
      <h2 ref={title} tabIndex={-1}>
        {say(titles[waiting.for])}
      </h2>
      <p>{textOf(waiting)}</p>
      {waiting.for === 'bank' && (
        <button class="action" type="button" onClick={() => till.goToBank()}>
          {say('bank_go')}
        </button>
      )}
    </div>
  )
}

function textOf({ for: reason, sale, amount }: Waiting): string {
  if (reason !== 'bank') return say(`${titles[reason]}_text`)
  const money = amount === null ? '' : moneyText(amount, sale, currentLocale())
  return say('bank_text', { amount: money, seller: sale.seller.name })
}
