/** Of the element that holds a page's own content, beside the navigation. */
export const contentId = 'content';
