import type { TestCard } from '../api.ts'
import { formatCardNumber } from '../card/typing.ts'
import type { Values } from '../form.ts'
import { isMessageKey, translate } from '../translations.ts'

/** In test mode: test cards that fill in the form with a click. */
export function TestCards({
  cards,
  changeValues,
}: {
  cards: readonly TestCard[]
  changeValues: (changes: Values) => void
}) {
  return (
    <details class="test-cards">
      <summary>{translate('test_cards')}</summary>
      <ul>
        {cards.map((card) => (
          <li>
            <button type="button" onClick={() => changeValues(formValuesOf(card))}>
              <bdi dir="ltr">{formatNumber(card)}</bdi>
              <span>{outcomeOf(card)}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

function formValuesOf(card: TestCard): Values {
  const nextYear = String(new Date().getFullYear() + 1).slice(-2)
  const cvc = /^3[47]/.test(card.number) ? '1234' : '123'
  return {
    'card.number': formatNumber(card),
    'card.expiry': `12 / ${nextYear}`,
    'card.cvc': cvc,
    'card.name': 'Test',
  }
}

function formatNumber({ number }: TestCard): string {
  return formatCardNumber({ text: number, caret: 0 }).text
}

function outcomeOf({ outcome }: TestCard): string {
  const key = `test_${outcome}`
  return isMessageKey(key) ? translate(key) : outcome
}
