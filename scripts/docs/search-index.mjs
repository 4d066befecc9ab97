const names = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/** The words that a reader sees, without blocks of code and what can be filled in or opened. */
function words(html) {
  const text = html.replace(/<(pre|form|details|noscript)[\s>].*?<\/\1>|<button.*?<\/button>/gs, ' ');
  const plain = text.replace(/<a class="anchor".*?<\/a>|<[^>]*>/gs, ' ');
  return plain
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (name) => names[name])
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * @param path of the page, below the folder that holds `docs`
 * @returns an entry for the page's introduction, and one for each of its headings
 */
export function searchEntries({ title, html, headings }, path, group) {
  const sections = html.slice(html.indexOf('<h1 id=')).split(/(?=<h[1-6] id=)/);
  return sections.map((section, index) => {
    const heading = headings[index];
    const isIntroduction = heading.depth === 1;
    return {
      path: isIntroduction ? path : `${path}#${heading.id}`,
      where: isIntroduction || title === group ? group : `${group} › ${title}`,
      title: heading.title,
      text: words(section.slice(section.indexOf(`</h${heading.depth}>`))),
    };
  });
}
