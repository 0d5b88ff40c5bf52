import { typeNumber } from '../card/typing.ts'
import type { TestCard } from '../doors.ts'
import type { Values } from '../form.ts'
import { isWord, say } from '../words.ts'

/** In the test environment: cards to try, filled in by a click. */
export function TestCards({ cards, type }: { cards: readonly TestCard[]; type: (changes: Values) => void }) {
  return (
    <details class="test-cards">
      <summary>{say('test_cards')}</summary>
      <ul>
        {cards.map((card) => (
          <li>
            <button type="button" onClick={() => type(filledIn(card))}>
              <bdi dir="ltr">{grouped(card)}</bdi>
              <span>{outcomeOf(card)}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

function filledIn(card: TestCard): Values {
  const nextYear = String(new Date().getFullYear() + 1).slice(-2)
  const cvc = /^3[47]/.test(card.number) ? '1234' : '123'
  return {
    'card.number': grouped(card),
    'card.expiry': `12 / ${nextYear}`,
    'card.cvc': cvc,
    'card.name': 'Test',
  }
}

function grouped({ number }: TestCard): string {
  return typeNumber({ text: number, caret: 0 }).text
}

function outcomeOf({ outcome }: TestCard): string {
  const word = `test_${outcome}`
  return isWord(word) ? say(word) : outcome
}
