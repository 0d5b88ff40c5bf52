// Strings that often reveal bugs: they look like code, numbers or keywords, are blank, or are easily garbled.
// None contains NUL or an unpaired surrogate, which are not allowed in text.

// biome-ignore format: the list is easier to read in rows.
const reserved = [
  'null', 'NULL', 'Null', 'nil', 'None', 'undefined', 'NaN', 'Infinity', '-Infinity', 'true', 'false',
  'TRUE', 'yes', 'no', 'on', 'off', '0', '-0', '00', '1', '1.0', '1e3', '0x0', '0b1', '1_000', '٣', '１２３',
  '9007199254740993', '1e400', '2026-02-30', 'T', 'hasOwnProperty', '__proto__', 'constructor', 'prototype',
  'toString', 'valueOf', 'toJSON', 'then', 'length', 'con', 'PRN', 'aux', 'nul', 'COM1', '.', '..', '~',
  '-',
]

// biome-ignore format: the list is easier to read in rows.
const code = [
  "'", '"', "''", '""', `'"`, '`', '\\', '\\\\', "\\'", '\\u0041', '\\x00', '%', '%s', '%d%n', '%00',
  '%2e%2e%2f',
  "' or '1'='1", "'; drop table customers; --", '1; select pg_sleep(10)--', "'||(select version())||'",
  '$1', '$$', '$func$', '\u0024{7*7}', '{{7*7}}', '#{7*7}', '<%= 7*7 %>', '\u0024{jndi:ldap://x/a}', '$(id)', '`id`',
  '|id', ';id;', '<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', 'javascript:alert(1)',
  '<![CDATA[x]]>', '&lt;&amp;&#x27;', '<!--#exec cmd="id"-->',
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  '../../../../etc/passwd', '..\\..\\windows\\win.ini', 'file:///etc/passwd', 'http://127.0.0.1:5432/',
  '//evil.example', '=cmd|" /C calc"!A0', '+1+1', '@SUM(1)', '{"a":1}', '[1,2]', '{', '}', '[]', '/*', '--',
  '#', '//', '(?:a+)+$', '*', '\\d', '{{', '}}', '<>', '&', '?', 'a=b&c=d', 'a;b', 'a,b', 'a\tb', 'x@y',
  '()', '%n%n%n%n', '{0}', '%1$s', 'NaN\u0301',
]

// biome-ignore format: the list is easier to read in rows.
const spaces = [
  ' ', '  ', '\t', '\n', '\r', '\r\n', '\u000b', '\u000c', '\u0085', '\u00a0', '\u1680', '\u180e',
  '\u2000\u2001\u2002', '\u2003\u2009\u200a', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000', '\u200b',
  '\u200c', '\u200d', '\u2060', '\ufeff', ' lead', 'trail ', 'in  side', '\nlead', 'trail\r\n',
  'a\r\nSet-Cookie: b=c', 'a\u00adb', '\u0001\u0002\u001f', '\u007f\u0080\u009f',
]

// biome-ignore format: the list is easier to read in rows.
const scripts = [
  'Ünïcödé', 'ß', 'ẞ', 'ﬃ', 'İstanbul', 'ıi', 'ǅ', 'Ω≈ç√∫', 'åß∂ƒ©˙∆˚¬…æ', '¡™£¢∞§¶•ªº', '漢字', 'かな', 'ｶﾅ',
  '한국어', '한국어', 'Пётр', 'Ελλάδα', 'עברית', 'العربية', 'فارسی', 'हिन्दी', 'ไทย', 'ᚠᛇᚻ', '𝔘𝔫𝔦𝔠𝔬𝔡𝔢', '𠜎𠜱𠝹',
  '\u{10ffff}', '\ufffd', '\ufffe', '\uffff', '\u202eevil\u202c', '\u2067rtl\u2069', '\u200fשלום\u200e',
  'abc\u202d321', '\u061c', 'ﷺ', '﷽', 'pаypаl', 'ａｐｐｌｅ', 'раураl',
  'é', 'e\u0301', '\u0344', 'ạ̈', 'Z̮̞̠͙͔ͅḀ̗̞͈̻̗Ḷ͙͎̯̹̞͓G̻O̭̗̮', `a${'\u0301'.repeat(200)}`, '\u1d400', 'ﬁ', '²', '½', '㎏',
  '😀', '👩‍👩‍👧‍👦', '👍🏽', '🇩🇪', '🇩', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '❤️', '☺︎', '1️⃣', '\u{e0001}\u{e0041}', '🫠🫡',
  '💩'.repeat(100), '\u{f0000}',
]

// biome-ignore format: the list is easier to read in rows.
const long = [
  'x'.repeat(100), 'x'.repeat(500), 'x'.repeat(501), '😀'.repeat(500), 'é'.repeat(5_000), 'x'.repeat(5_001),
  'x'.repeat(60_000),
]

export const naughtyStrings: readonly string[] = [...reserved, ...code, ...spaces, ...scripts, ...long]
