/**
 * Lets a long API code in a table cell, such as an event type, break between its words but not inside a word.
 */

const betweenSegments = /(?<=[\w}]\/)(?=[\w{])/g
const betweenWords = /(?<=\w_)(?=\w)/g

/** Takes and returns HTML. Has no side effects. */
export function addCodeBreaks(html: string): string {
  return html.replaceAll(/<td[^>]*>.*?<\/td>/gs, (cell) =>
    cell.replaceAll(/<code>(.*?)<\/code>/g, (_, code: string) => {
      const phrase = code.includes(' ') ? ' class="phrase"' : ''
      const breakPoints = code.includes('/') ? betweenSegments : betweenWords
      return `<code${phrase}>${code.replaceAll(breakPoints, '<wbr>')}</code>`
    }),
  )
}
