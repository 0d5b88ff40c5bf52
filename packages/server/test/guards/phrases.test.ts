// Documentation, comments and test names are in plain English. Each row of the table is a phrase that readers
// stumbled over, and what to write instead. Code blocks, inline code and link targets are not checked.

import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { repositoryTexts } from './support/repository.ts'

/** The pages that are checked. */
const pagePatterns = [
  /^(README|SECURITY|CONTRIBUTING|ARCHITECTURE|STYLE|CHANGELOG)\.md$/,
  /^(docs|packages)\/(.*\/)?README\.md$/,
  /^\.github\/.*\.md$/,
  /^docs\/concepts\//,
  /^docs\/contributing\//,
  /^docs\/decisions\//,
  /^docs\/guides\//,
  /^docs\/operations\//,
  /^docs\/providers\//,
]

// biome-ignore format: a table.
const banned: readonly { phrase: RegExp; write: string }[] = [
  { phrase: /whoever/,                                       write: 'the subject: "a client that …", "the process that …"' },
  { phrase: /nobody/,                                        write: '"no provider", "no process", "no one", or the passive voice' },
  { phrase: /bec[ao]mes? of|become of/,                      write: '"the outcome of", "what happens to"' },
  { phrase: /(?:is|are|was|were|be) told/,                   write: '"is notified", "receives the event", "is instructed"' },
  { phrase: /tells? of|told of/,                             write: '"emits an event", "reports"' },
  { phrase: /(?:hears?|heard) (?:of|that|about)/,            write: '"is notified", "receives"' },
  { phrase: /newborn|(?:is|are|was) born/,                   write: '"new", "is created"' },
  { phrase: /go(?:es)? on|went on|going on/,                 write: '"continues"' },
  { phrase: /by (?:itself|themselves)/,                      write: '"automatically"' },
  { phrase: /at once/,                                       write: '"immediately" or "concurrently"' },
  { phrase: /beside (?:itself|themselves)/,                  write: '"concurrently"' },
  { phrase: /(?:is|are|be) asked(?! to| for)|(?:was|were|been) asked(?! to)/, write: '"is called", "is tried", "is requested", "is queried"' },
  { phrase: /asks? for no token/,                            write: '"has no authentication"' },
  { phrase: /g[ai]ven? back|gives? back|gave back|giving back/, write: '"refunded" for money, "returned" for everything else' },
  { phrase: /lets? (?:it |them |money )?go(?: of)?/,         write: '"voids", "releases"' },
  { phrase: /may be had|is to be had/,                       write: '"is available"' },
  { phrase: /(?:lies?|lay) (?:in|on|at|beside|there|under)/, write: '"is in", "is stored in"' },
  { phrase: /stands? (?:in|on|at|beside|under|behind|there)/, write: '"is in", "is listed in"' },
  { phrase: /cards? that (?:is|are|was|were) kept|kept cards?/, write: '"saved card"' },
  { phrase: /for so long|so many (?:payments|answers|requests)/, write: 'the number, or "the number of"' },
  { phrase: /as many as there (?:are|may be)/,               write: '"at most", with the number' },
  { phrase: /anew/,                                          write: '"again"' },
  { phrase: /for ever/,                                      write: '"forever"' },
  { phrase: /mends?|mended/,                                 write: '"fix"' },
  { phrase: /(?:settings?|values?) (?:that )?do(?:es)? not fit/, write: '"is invalid"' },
  { phrase: /lost is lost/,                                  write: '"cannot be recovered"' },
  { phrase: /turned away/,                                   write: '"rejected"' },
  { phrase: /cards? with a fate/,                            write: '"scripted card outcome"' },
  { phrase: /report a hole/,                                 write: '"report a vulnerability"' },
  { phrase: /needs? a person|waits? for a person/,           write: '"needs review", "needs attention"' },
  { phrase: /(?:is|are|was|were) (?:not )?known of/,         write: '"is known about", or name the fact' },
  { phrase: /under way/,                                     write: '"in progress"' },
  { phrase: /of (?:ours|theirs)/,                            write: '"our", "their", or the owner' },
  { phrase: /beside/,                                        write: '"next to", "in addition to"' },
  { phrase: /(?:is|are|was|were) away/,                      write: '"is unavailable"' },
  { phrase: /the books/,                                     write: '"the ledger", "the records"' },
  { phrase: /hand(?:s|ed)? out/,                             write: '"distributes", "issues"' },
  { phrase: /br(?:ings?|ought) about/,                       write: '"triggers", "causes"' },
  { phrase: /answers? for/,                                  write: '"is responsible for"' },
  { phrase: /among (?:it|them)/,                             write: '"including", "except"' },
  { phrase: /time has come/,                                 write: '"is due"' },
  { phrase: /knows? nothing of/,                             write: '"is independent of"' },
  { phrase: /the world says/,                                write: 'the system that responds' },
  { phrase: /(?:is|are|was|were) (?:not )?(?:also )?(?:that|those) of|so that of/, write: 'the noun again: "the currency of the payment"' },
  { phrase: /since when/,                                    write: '"when … began", "how long"' },
  { phrase: /not finally/,                                   write: '"is not final"' },
  { phrase: /believe[sd]?/,                                  write: '"accepts", "trusts", "treats as"' },
  { phrase: /decide[sd]? about/,                             write: '"decides whether", "decides when"' },
  { phrase: /(?:that|which|this|it) is no (?!longer|more|other|such)/, write: '"is not a"' },
  { phrase: /any more(?=[.,;:)])/,                            write: '"no longer", "nothing more"' },
  { phrase: /in another order/,                              write: '"in a different order", "out of order"' },
  { phrase: /also (?:if|when)(?= [a-z]+ (?:is|are|was|were|has|have|had) )/, write: '"even if", "even when"' },
  { phrase: /prevents? that/,                                write: '"prevents … from"' },
  { phrase: /stay(?:s|ed)? as (?:it is|they are|it was|they were)/, write: '"does not change", "stays unchanged"' },
  { phrase: /(?:gives?|has|have|produces?|returns?|sends?) the same bytes/, write: '"is identical"' },
  { phrase: /for good(?! cause)/,                           write: '"permanently"' },
  { phrase: /in any case/,                                   write: '"always", or "ignoring case" for letters' },
  { phrase: /(?:takes?|took|taking) back/,                   write: '"reverses", "credits", "voids"' },
  { phrase: /(?:the|these|all|any|equal|other|default|own|of|with|as) texts/, write: '"text", "strings", "text fields"' },
  { phrase: /(?:is|are) overdue since/,                      write: '"has been overdue since"' },
  { phrase: /errors? of the server/,                         write: '"server error"' },
  { phrase: /full hours?/,                                   write: '"on the hour"' },  { phrase: /by request(?! id)/,                             write: '"on request"' },
  { phrase: /(?<![\w,:`]\s*)pure(?=\.)/,                     write: '"Has no side effects."' },
  { phrase: /at (?:their|his|her) bank/,                    write: '"with their bank"' },
  { phrase: /(?<!e-|[-:/.[])mails|(?:a|each|every|one|another|no|this|that) mail(?! (?:server|service|client|scanner|software))/, write: '"e-mail", "message"' },
  { phrase: /listens? at/,                                  write: '"listens on"' },
  { phrase: /not chosen(?=:)/,                              write: '"Alternatives considered"' },
  { phrase: /disputes? about/,                              write: '"dispute against"' },
  { phrase: /(?:the|a) work(?= `)/,                         write: '"the `….…` job"' },
  { phrase: /hanging (?:program|process)/,                  write: '"hung process"' },
  { phrase: /typing errors?/,                               write: '"typo"' },
  { phrase: /over the API(?! process)/,                     write: '"through the API"' },
  { phrase: /changes? of the interval/,                     write: '"interval change"' },
  { phrase: /of the wrong environment/,                     write: '"for the wrong environment"' },
  { phrase: /gets? a successor/,                            write: '"is superseded"' },
  { phrase: /until the end of the test/,                    write: '"when the test ends"' },
  { phrase: /reduc(?:es?|ed|ing) (?:a|the|the current|the new) periods?/, write: '"applies to the period"' },
  { phrase: /is not fulfilled/,                             write: '"is violated"' },
  { phrase: /the lint(?! (?:check|request|findings?))/,     write: '"the linter"' },
  { phrase: /lacks? (?:its|their) postings?/,               write: '"has no posting"' },
]

const pages = repositoryTexts().filter(
  ({ path }) => path.endsWith('.md') && pagePatterns.some((pattern) => pattern.test(path)),
)

/**
 * Excluded are migrations, which cannot be changed after they were applied, and generated files, which repeat
 * text of their sources.
 */
const sources = repositoryTexts().filter(
  ({ path }) =>
    /^(packages|scripts|bench|examples)\/.*\.tsx?$/.test(path) &&
    !/\.generated\.|guards\/phrases\.test\.ts$/.test(path),
)

const testName = /\b(?:test|describe)(?:\.\w+)*\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g

/** The comments and test names of a source file. Lines keep their numbers, and everything else is blank. */
function extractProse(path: string, code: string): string {
  const characters = code.replaceAll(/[^\n]/g, ' ').split('')
  const restore = (start: number, text: string) => {
    for (const [index, character] of [...text].entries()) characters[start + index] = character
  }
  for (const { start, value } of parseSync(path, code).comments) restore(start + 2, value)
  for (const { index, 0: call, 2: name = '' } of code.matchAll(testName))
    restore(index + call.length - name.length - 1, name)
  // Remove the asterisks and slashes at the start of comment lines.
  return characters.join('').replaceAll(/^( *)[*/]+/gm, '$1 ')
}

test('every pattern matches at least one page', () => {
  const empty = pagePatterns.filter((pattern) => !pages.some(({ path }) => pattern.test(path)))

  expect(empty).toEqual([])
})

test.each(pages)('$path is in plain English', ({ text }) => {
  expect(findBanned(text)).toEqual([])
})

test('comments and test names are in plain English', () => {
  const violations = sources.flatMap(({ path, text }) =>
    findBanned(extractProse(path, text)).map((violation) => `${path} ${violation}`),
  )

  expect(violations).toEqual([])
})

test('in code, only comments and test names are checked', () => {
  const code = `// Nobody waits.\nconst nobody = 'nobody'\ntest('it goes on', () => {})\n`

  expect(findBanned(extractProse('a.ts', code)).map((violation) => violation.slice(0, 16))).toEqual([
    'line 1: "Nobody"',
    'line 3: "goes on',
  ])
})

test.each([
  ['Nobody else is asked.', 2],
  ['It goes on by itself.', 2],
  ['Webhooks arrive in another order, and nothing is due any more.', 2],
  ['The provider says what became\nof it.', 1],
  ['An event is told to every endpoint at once.', 2],
  ['Returns a rate, also if it is archived. An index prevents that it stays as it is.', 3],
  ['A note takes back a line for good, in any case, and always has the same bytes.', 4],
  ['An invoice is overdue since May. It is sent by request, with all texts.', 3],
  ['Pure. The work `a.b` sends mails, and the server listens at a port.', 4],
])('%j is rejected', (text, count) => {
  expect(findBanned(text)).toHaveLength(count)
})

test.each([
  'Switchyard continues automatically.',
  'Every other file is pure. The mail server accepts e-mails.',
  'The client is asked to retry.',
  'No request is sent before any more rows are read.',
  '`SwitchyardReconcilerStopped` and [the runbook](runbooks/reconciler-stopped.md)',
  '```sh\necho nobody\n```',
])('%j is accepted', (text) => {
  expect(findBanned(text)).toEqual([])
})

test('the message has the line, the phrase and its replacement', () => {
  expect(findBanned('# Title\n\nWork goes\non.')).toEqual(['line 3: "goes on". Write "continues"'])
})

function findBanned(markdown: string): string[] {
  const prose = removeCode(markdown)
  return banned
    .flatMap(({ phrase, write }) => {
      // A phrase may be wrapped, so a space also matches the end of a line.
      const source = phrase.source.replaceAll(' ', '\\s+')
      return [...prose.matchAll(new RegExp(`\\b(?:${source})\\b`, 'gi'))].map(({ 0: match, index }) => ({
        line: prose.slice(0, index).split('\n').length,
        found: match.replaceAll(/\s+/g, ' '),
        write,
      }))
    })
    .toSorted((a, b) => a.line - b.line)
    .map(({ line, found, write }) => `line ${line}: "${found}". Write ${write}`)
}

/** The text with code and link targets removed. Lines keep their numbers. */
function removeCode(markdown: string): string {
  return markdown
    .replaceAll(/^ *```.*?^ *```\s*?$/gms, (fence) => fence.replaceAll(/[^\n]/g, ''))
    .replaceAll(/`[^`\n]*`/g, '``')
    .replaceAll(/\]\([^)\s]*\)/g, ']')
}
