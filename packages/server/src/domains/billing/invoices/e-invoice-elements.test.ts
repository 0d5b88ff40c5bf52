import { expect, test } from 'vitest'
import { element, escapeXml, textElement, toXml } from './e-invoice-elements.ts'

test('text and attributes are escaped, and characters that XML cannot contain are removed', () => {
  expect(escapeXml('a & b < c > "d" \'e\'')).toBe('a &amp; b &lt; c &gt; &quot;d&quot; &apos;e&apos;')
  expect(escapeXml('a\u0000\u0001\u000b\uffffb\tc\n\ud800d 😀 é')).toBe('ab\tc\n\ufffdd 😀 é')
  expect(toXml('a', { x: '"&' }, [textElement('b', '<', { y: "'" })])).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n<a x="&quot;&amp;">\n  <b y="&apos;">&lt;</b>\n</a>\n',
  )
})

test('elements without content are left out', () => {
  expect(element('a', textElement('b', null), textElement('c', ' '), element('d'))).toBeNull()
})
