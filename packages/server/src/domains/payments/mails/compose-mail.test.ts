import { expect, test } from 'vitest'
import { composeMail, type MailInput } from './compose-mail.ts'
import { exampleFacts } from './example-facts.ts'
import { mailKindNames } from './mail.ts'
import { languages } from './texts.ts'

const seller = {
  name: 'Café Zürich',
  logo_url: null,
  accent_color: '#0b5fff',
  accent_text_color: '#ffffff',
}
const receipt: MailInput = {
  kind: 'receipt',
  facts: {
    amount: '2598',
    currency: 'eur',
    at: '2026-11-14T12:34:56.000Z',
    card: { brand: 'visa', last4: '4242' },
    items: [{ name: 'A book', quantity: 2, amount: 2598 }],
    description: 'Order 4711',
    reference: 'payment_01M7CYVSCBEAKS6M475NRJM4KW',
    statement: 'CAFE ZUERICH',
    held: false,
  },
  locale: 'en-GB',
  seller,
  url: null,
  cardUrl: null,
  code: null,
  isTest: false,
  customTexts: {},
}

test('a receipt contains seller, items, amount, card, date and reference', () => {
  expect(composeMail(receipt)).toMatchObject({
    subject: 'Your receipt from Café Zürich',
    text: `Café Zürich

Your receipt from Café Zürich

Thank you for your payment.

Order 4711

Amount: €25.98

2 × A book: €25.98
Paid with: Visa •••• 4242
Date: 14 November 2026 at 12:34 UTC
Reference: payment_01M7CYVSCBEAKS6M475NRJM4KW
On your statement: CAFE ZUERICH
`,
  })
})

test('the receipt of an authorization does not say paid, and a test receipt is marked as a test', () => {
  const { text } = composeMail({ ...receipt, facts: { ...receipt.facts, held: true }, isTest: true })

  expect(text).toContain('authorized on your card')
  expect(text).not.toContain('Thank you for your payment')
  expect(text).toContain('This is a test.')
})

test.each(Object.keys(languages))(
  'every kind has a subject and a body in %s, without placeholders',
  (locale) => {
    const composed = mailKindNames.map((kind) =>
      composeMail({ ...receipt, kind, facts: exampleFacts(kind), locale, url: 'https://example.com/i/x' }),
    )

    expect(new Set(composed.map(({ subject }) => subject)).size).toBe(mailKindNames.length)
    for (const { subject, text, html } of composed) {
      expect(`${subject} ${text} ${html}`).not.toMatch(/[{}]|undefined|null|NaN|Invalid/)
      expect(html).toContain(`<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}">`)
    }
  },
)

test('an e-mail that asks for a payment has a button with the address of the page', () => {
  const { text, html } = composeMail({
    ...receipt,
    kind: 'payment_failed',
    facts: { amount: '2999', currency: 'eur', reference: 'INV-000042' },
    url: 'https://pay.example.com/i/slug',
  })

  expect(text).toContain('Amount due: €29.99')
  expect(text).toContain('Invoice: INV-000042')
  expect(text).toContain('Pay invoice: https://pay.example.com/i/slug')
  expect(html).toContain('<a href="https://pay.example.com/i/slug"')
  expect(html).toContain('background:#0b5fff')
})

test('text from merchants cannot add markup, headers or replacement patterns', () => {
  const name = `<script>alert(1)</script>\r\nBcc: x@example.com $& "quoted"`
  const { subject, html } = composeMail({ ...receipt, seller: { ...seller, name } })

  expect(subject).not.toMatch(/[\r\n]/)
  expect(subject).toContain('$&')
  expect(html).not.toContain('<script>')
  expect(html).toContain('&lt;script&gt;')
})

test('an unsupported language falls back to English', () => {
  expect(composeMail({ ...receipt, locale: 'nl-NL' }).subject).toBe('Your receipt from Café Zürich')
  expect(composeMail({ ...receipt, locale: 'constructor' }).subject).toBe('Your receipt from Café Zürich')
})

test('text of the workspace replaces subject and body in its language, with escaped lines', () => {
  const customTexts = { receipt: { de: { subject: 'Danke, {seller} & Co', body: 'Zeile <1>\nZeile 2' } } }
  const german = composeMail({ ...receipt, locale: 'de-AT', customTexts })

  expect(german.subject).toBe('Danke, Café Zürich & Co')
  expect(german.text).toContain('Zeile <1>\nZeile 2')
  expect(german.html).toContain('Zeile &lt;1&gt;<br>Zeile 2')
  expect(composeMail({ ...receipt, customTexts }).subject).toBe('Your receipt from Café Zürich')
  expect(composeMail({ ...receipt, kind: 'refunded', locale: 'de', customTexts }).text).not.toContain('Zeile')
})

test('text of the workspace does not replace the statement that an amount is only authorized', () => {
  const customTexts = { receipt: { en: { subject: null, body: 'Thanks!' } } }

  expect(composeMail({ ...receipt, facts: { ...receipt.facts, held: true }, customTexts }).text).toContain(
    'authorized on your card',
  )
})
