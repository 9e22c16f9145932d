import type { Dice } from "./dice.ts";

// A skin is the vocabulary of tags and classes of one way to build sites. Pages name parts by their role.

const roles = [
  "page",
  "header",
  "brand",
  "nav",
  "navItem",
  "main",
  "section",
  "hero",
  "title",
  "heading",
  "text",
  "grid",
  "card",
  "form",
  "field",
  "label",
  "input",
  "button",
  "link",
  "list",
  "item",
  "footer",
  "column",
  "small",
  "notice",
  "cookies",
  "article",
  "meta",
] as const;
export type Role = (typeof roles)[number];

/** For each role, nested elements as `tag.class > tag.class`; alternatives are separated by `|`. `$p` is a prefix of the site, `$h` a hash. */
type SkinTable = Record<Role, string>;

const plain: SkinTable = {
  page: "div#wrap|div.$p-page|body",
  header: "header|div#header|header.$p-header > div.inner",
  brand: "a.logo|a.$p-logo|h1.logo > a",
  nav: "nav > ul|ul.menu|nav.main-nav > ul",
  navItem: "li > a",
  main: "main|div#content|div.$p-main",
  section: "section|div.block|section.$p-section",
  hero: "div.hero|section.intro|div.$p-stage",
  title: "h1",
  heading: "h2|h3",
  text: "p",
  grid: "div.columns|div.row|div.$p-grid",
  card: "div.box|article|div.teaser",
  form: "form",
  field: "p|div|div.form-row|div.$p-field",
  label: "label",
  input: "input|input.text|input.$p-input",
  button: "button|button.button|button.btn|button.$p-button",
  link: "a",
  list: "ul",
  item: "li",
  footer: "footer|div#footer|footer > div.inner",
  column: "div.col|ul.links|div.$p-links",
  small: "p.small|small|p.copyright",
  notice: "div.alert|p.note|div.$p-notice",
  cookies: "div#cookie-notice|div.cookie-banner|div.$p-consent",
  article: "article|div.post",
  meta: "p.date|div.meta",
};

const bootstrap: SkinTable = {
  page: "div.wrapper|div.d-flex.flex-column.min-vh-100",
  header:
    "nav.navbar.navbar-expand-lg.navbar-light.bg-light > div.container|nav.navbar.navbar-expand-md.navbar-dark.bg-dark > div.container-fluid|header.p-3 > div.container",
  brand: "a.navbar-brand",
  nav: "div.collapse.navbar-collapse > ul.navbar-nav.ms-auto|ul.nav.nav-pills",
  navItem: "li.nav-item > a.nav-link",
  main: "main.container.py-4|div.container|main.container-fluid",
  section: "section.py-5 > div.container|div.row.mb-4|section.mt-5",
  hero: "div.jumbotron|div.p-5.mb-4.bg-light.rounded-3|div.px-4.py-5.my-5.text-center",
  title: "h1.display-5|h1|h1.h3.mb-3.fw-normal",
  heading: "h2|h4.card-title|h2.fw-light",
  text: "p|p.lead|p.card-text",
  grid: "div.row|div.row.row-cols-1.row-cols-md-3.g-4",
  card: "div.col-md-4 > div.card > div.card-body|div.col > div.card.h-100 > div.card-body",
  form: "form|form.needs-validation|form.form-signin",
  field: "div.mb-3|div.form-group|div.form-floating",
  label: "label.form-label|label",
  input: "input.form-control|input.form-control.form-control-lg",
  button: "button.btn.btn-primary|button.btn.btn-primary.btn-lg.w-100|button.btn.btn-success.btn-block",
  link: "a|a.link-primary|a.text-decoration-none",
  list: "ul.list-unstyled|ul.list-group",
  item: "li|li.list-group-item",
  footer: "footer.py-3.my-4 > div.container|footer.footer.mt-auto > div.container",
  column: "div.col-6.col-md-3 > ul.nav.flex-column|div.col-md",
  small: "p.text-muted|small.text-muted",
  notice: "div.alert.alert-warning|div.alert.alert-info",
  cookies: "div.toast.show|div.fixed-bottom.bg-light.p-3",
  article: "article.blog-post|div.col-md-8",
  meta: "p.blog-post-meta|small.text-muted",
};

const tailwind: SkinTable = {
  page: "div.min-h-screen.bg-gray-50|div.flex.min-h-full.flex-col|div.bg-white",
  header:
    "header.sticky.top-0.bg-white.shadow > div.mx-auto.max-w-7xl.px-4|nav.flex.items-center.justify-between.p-6",
  brand: "a.flex.items-center.space-x-2|a.-m-1.5.p-1.5",
  nav: "div.hidden.lg:flex.gap-x-12|ul.flex.space-x-4",
  navItem: "a.text-sm.font-semibold.text-gray-900|li > a.hover:underline",
  main: "main.flex-1|main.mx-auto.max-w-7xl.px-6|div.isolate",
  section: "section.py-12|div.py-24.sm:py-32|section.mt-8",
  hero: "div.relative.isolate.px-6.pt-14|section.bg-indigo-50.py-20",
  title:
    "h1.text-4xl.font-bold.tracking-tight|h1.text-2xl.font-semibold|h2.mt-10.text-center.text-2xl.font-bold",
  heading: "h2.text-xl.font-semibold|h3.text-lg.leading-6",
  text: "p.mt-2.text-gray-600|p.text-base.leading-7",
  grid: "div.grid.grid-cols-1.md:grid-cols-3.gap-6|div.flex.flex-wrap.-mx-4",
  card: "div.rounded-lg.border.p-6.shadow-sm|div.bg-white.overflow-hidden.rounded-xl > div.p-8",
  form: "form.space-y-6|form.mt-8.space-y-4",
  field: "div|div.col-span-full|div.relative.mt-2",
  label: "label.block.text-sm.font-medium.text-gray-700|label.sr-only",
  input: "input.block.w-full.rounded-md.border-gray-300|input.appearance-none.px-3.py-2.w-full",
  button:
    "button.flex.w-full.justify-center.rounded-md.px-3.py-1.5.text-white|button.inline-flex.items-center.rounded-full.px-4",
  link: "a.text-indigo-600|a.font-medium.underline|a.text-blue-700",
  list: "ul.divide-y|ul.mt-4.space-y-2",
  item: "li.py-2|li",
  footer: "footer.border-t.py-8 > div.mx-auto.max-w-7xl|footer.bg-gray-900.text-white.p-10",
  column: "div.space-y-3|ul.mt-6.space-y-4",
  small: "p.text-xs.text-gray-500|p.mt-10.text-sm",
  notice: "div.rounded-md.bg-yellow-50.p-4|div.border-l-4.p-4",
  cookies: "div.fixed.inset-x-0.bottom-0.p-6|div.pointer-events-auto.rounded-xl.bg-white",
  article: "article.prose.lg:prose-xl|article.mx-auto.max-w-2xl",
  meta: "p.text-sm.text-gray-500|time.text-xs",
};

const tables: SkinTable = {
  page: "center|div > center|body",
  header: "table.top > tr > td|table > tr > td.header|div#top > table > tr",
  brand: "a|b > a|font > a",
  nav: "table.menu > tr|td.navigation|div.topnav",
  navItem: "td > a|a.menulink|font > a",
  main: "table.content > tr > td|td.main|table#main > tbody > tr > td",
  section: "table.section > tr > td|div.text|td.inhalt",
  hero: "td.banner|table.intro > tr > td",
  title: "h1|font.big > b|h2",
  heading: "h3|b|font.subtitle",
  text: "p|font > p|p.text",
  grid: "table > tr|table.boxes > tr",
  card: "td|td.box|td > table > tr > td",
  form: "form",
  field: "tr > td|table > tr > td|p",
  label: "font|label|b",
  input: "input|input.inputbox",
  button: "button|button.submit|button.sbutton",
  link: "a|u > a",
  list: "ul|dl",
  item: "li|dd",
  footer: "table.bottom > tr > td|center > font|td.footer",
  column: "td|p",
  small: "font.tiny|small|p.foot",
  notice: "table.warning > tr > td|font.red|p.hint",
  cookies: "div#cookieInfo|div.cookies",
  article: "table.article > tr > td|td.article",
  meta: "i|font.date",
};

const hashed: SkinTable = {
  page: "div#root > div.sc-$h|div#__next > div.Layout_root__$h",
  header: "header.sc-$h > div.sc-$h|header.Header_header__$h > div.Header_inner__$h",
  brand: "a.sc-$h|a.Header_logo__$h|div.sc-$h > a",
  nav: "nav.sc-$h|nav.Nav_nav__$h > ul.Nav_list__$h",
  navItem: "a.sc-$h|li.Nav_item__$h > a.Nav_link__$h",
  main: "main.sc-$h|main.Layout_main__$h > div.Layout_grid__$h",
  section: "section.sc-$h > div.sc-$h|section.Section_section__$h",
  hero: "div.sc-$h > div.sc-$h|div.Hero_hero__$h > div.Hero_content__$h",
  title: "h1.sc-$h|h1.Typography_h1__$h",
  heading: "h2.sc-$h|h2.Typography_h2__$h|h3.sc-$h",
  text: "p.sc-$h|p.Typography_body__$h|span.sc-$h",
  grid: "div.sc-$h|div.Grid_grid__$h",
  card: "div.sc-$h > div.sc-$h|div.Card_card__$h > div.Card_body__$h",
  form: "form.sc-$h|form.Form_form__$h",
  field: "div.sc-$h > div.sc-$h|div.Field_field__$h",
  label: "label.sc-$h|label.Field_label__$h|span.sc-$h > label",
  input: "input.sc-$h|input.Field_input__$h",
  button: "button.sc-$h|button.Button_button__$h.Button_primary__$h",
  link: "a.sc-$h|a.Link_link__$h",
  list: "ul.sc-$h|ul.List_list__$h",
  item: "li.sc-$h|li.List_item__$h",
  footer: "footer.sc-$h > div.sc-$h|footer.Footer_footer__$h",
  column: "div.sc-$h|div.Footer_column__$h",
  small: "p.sc-$h|small.Footer_legal__$h",
  notice: "div.sc-$h|div.Alert_alert__$h",
  cookies: "div.sc-$h > div.sc-$h|div.Consent_root__$h",
  article: "article.sc-$h|article.Article_article__$h",
  meta: "span.sc-$h|time.Article_date__$h",
};

const blocks: SkinTable = {
  page: "div.wp-site-blocks|div#page.site|div.site-container",
  header:
    "header.wp-block-template-part > div.wp-block-group|header#masthead.site-header > div.site-branding",
  brand: "div.wp-block-site-logo > a.custom-logo-link|p.site-title > a",
  nav: "nav.wp-block-navigation > ul.wp-block-navigation__container|nav#site-navigation > ul#primary-menu.menu",
  navItem: "li.wp-block-navigation-item > a.wp-block-navigation-item__content|li.menu-item > a",
  main: "main.wp-block-group|main#primary.site-main",
  section: "div.wp-block-group.alignwide|div.wp-block-columns",
  hero: "div.wp-block-cover > div.wp-block-cover__inner-container|div.wp-block-media-text",
  title: "h1.wp-block-heading|h1.entry-title|h1.wp-block-post-title",
  heading: "h2.wp-block-heading|h2.entry-title",
  text: "p|p.has-text-align-center",
  grid: "div.wp-block-columns|div.wp-block-query > ul.wp-block-post-template",
  card: "div.wp-block-column|li.wp-block-post",
  form: "form.wpcf7-form|form.login|form",
  field: "p|p.form-row|div.wpforms-field",
  label: "label|label.wpforms-field-label",
  input: "input.input-text|input.wpcf7-form-control|input.input",
  button: "button.wp-element-button|button.button.button-primary|button.woocommerce-button",
  link: "a",
  list: "ul|ul.wp-block-list",
  item: "li",
  footer: "footer.wp-block-template-part > div.wp-block-group|footer#colophon.site-footer > div.site-info",
  column: "div.wp-block-column|aside.widget",
  small: "p.has-small-font-size|p.copyright",
  notice: "div.woocommerce-info|p.has-background",
  cookies: "div#cookie-law-info-bar|div.cmplz-cookiebanner",
  article: "article.post|div.entry-content",
  meta: "div.wp-block-post-date|span.posted-on",
};

const bem: SkinTable = {
  page: "div.$p-app|div.l-page",
  header: "header.$p-header > div.$p-header__inner|header.c-header > div.o-container",
  brand: "a.$p-header__logo|a.c-header__logo",
  nav: "nav.$p-nav > ul.$p-nav__list|ul.c-nav",
  navItem: "li.$p-nav__item > a.$p-nav__link|li.c-nav__item > a.c-nav__link",
  main: "main.$p-main|main.l-main > div.o-container",
  section: "section.$p-section > div.$p-section__body|section.c-section",
  hero: "div.$p-hero > div.$p-hero__text|div.c-stage",
  title: "h1.$p-title.$p-title--xl|h1.c-heading.c-heading--1",
  heading: "h2.$p-title|h2.c-heading.c-heading--2",
  text: "p.$p-text|p.c-copy",
  grid: "div.$p-grid|div.o-layout",
  card: "div.$p-grid__cell > div.$p-card|div.o-layout__item > div.c-card",
  form: "form.$p-form|form.c-form.js-form",
  field: "div.$p-form__row|div.c-field",
  label: "label.$p-form__label|label.c-field__label",
  input: "input.$p-form__input|input.c-field__input.js-input",
  button: "button.$p-button.$p-button--primary|button.c-button.c-button--main",
  link: "a.$p-link|a.c-link",
  list: "ul.$p-list|ul.o-list",
  item: "li.$p-list__item|li.o-list__item",
  footer: "footer.$p-footer > div.$p-footer__inner|footer.c-footer",
  column: "div.$p-footer__column > ul|div.c-footer__group",
  small: "p.$p-footer__legal|p.c-footer__small",
  notice: "div.$p-message.$p-message--info|div.c-alert",
  cookies: "div.$p-consent|div.c-cookie.js-cookie",
  article: "article.$p-article|article.c-article",
  meta: "div.$p-article__meta|p.c-article__date",
};

const material: SkinTable = {
  page: "app-root > div.mat-app-background|div.mdc-layout",
  header: "mat-toolbar.mat-primary > div.toolbar|header.mdc-top-app-bar > div.mdc-top-app-bar__row",
  brand: "a.toolbar-logo|span.mdc-top-app-bar__title > a",
  nav: "div.toolbar-actions|nav.mdc-list",
  navItem: "a.mat-button|a.mdc-list-item",
  main: "main.mat-drawer-content|main.mdc-top-app-bar--fixed-adjust",
  section: "section.mat-elevation-z1|div.mdc-layout-grid",
  hero: "div.mat-display|div.mdc-card--hero",
  title: "h1.mat-headline-4|h1.mdc-typography--headline4",
  heading: "mat-card-title > h2|h2.mdc-typography--headline6",
  text: "p.mat-body-1|p.mdc-typography--body1",
  grid: "mat-grid-list|div.mdc-layout-grid__inner",
  card: "mat-card.mat-card > mat-card-content|div.mdc-layout-grid__cell > div.mdc-card",
  form: "form.ng-untouched.ng-pristine|form",
  field: "mat-form-field.mat-form-field > div.mat-form-field-infix|div.mdc-text-field",
  label: "mat-label|label.mdc-floating-label",
  input: "input.mat-input-element|input.mdc-text-field__input",
  button: "button.mat-flat-button.mat-primary|button.mdc-button.mdc-button--raised",
  link: "a|a.mat-link",
  list: "mat-list|ul.mdc-list",
  item: "mat-list-item|li.mdc-list-item",
  footer: "app-footer > footer|footer.mdc-footer",
  column: "div.footer-column|nav.mdc-list",
  small: "p.mat-caption|small.mdc-typography--caption",
  notice: "div.mat-snack-bar|div.mdc-banner",
  cookies: "app-cookie-consent > div|div.mdc-snackbar--open",
  article: "article.mat-card|div.article",
  meta: "mat-card-subtitle|span.mdc-typography--overline",
};

const skins = { plain, bootstrap, tailwind, tables, hashed, blocks, bem, material };
export type SkinName = keyof typeof skins;
export const skinNames = Object.keys(skins) as SkinName[];

interface Element {
  tag: string;
  id?: string;
  classes: string[];
}

/** Builds the markup of one site. */
export interface Markup {
  /** Returns an element of a role around its content. Attributes and text are inserted as they are. */
  of(role: Role, content: string, attributes?: string): string;
  /** Returns the style sheet of the site. */
  styles(colors: { main: string; accent: string; ink: string; paper: string }, font: string): string;
}

const voidTags = ["input", "img"];

export function markupOf(name: SkinName, dice: Dice): Markup {
  const prefix = dice.fork("prefix").letters(3);
  const elements = new Map<Role, Element[]>();
  for (const role of roles) {
    const own = dice.fork(role);
    const chosen = own.pick(skins[name][role].split("|"));
    const chain = chosen.split(" > ").map((text) => {
      const [tag = "div", ...classes] = text.split(/\.(?![\d])/);
      const [element = "div", id] = tag.split("#");
      const named = classes.map((one) => one.replaceAll("$p", prefix).replace("$h", own.letters(6)));
      return { tag: element, ...(id === undefined ? {} : { id }), classes: named };
    });
    elements.set(
      role,
      chain.filter(({ tag }) => tag !== "body"),
    );
  }
  return {
    of(role, content, attributes = "") {
      const chain = elements.get(role)!;
      return chain.reduceRight((inner, { tag, id, classes }, index) => {
        const own = [
          id === undefined ? "" : ` id="${id}"`,
          classes.length === 0 ? "" : ` class="${classes.join(" ")}"`,
          index === chain.length - 1 && attributes !== "" ? ` ${attributes}` : "",
        ].join("");
        return voidTags.includes(tag) ? `<${tag}${own}>` : `<${tag}${own}>${inner}</${tag}>`;
      }, content);
    },
    styles(colors, font) {
      const rules = roles.flatMap((role) => {
        const last = elements.get(role)!.at(-1);
        if (last === undefined || styleOf[role] === undefined) return [];
        const selector =
          last.classes.length === 0 ? last.tag : `.${last.classes[0]!.replace(/[:.]/g, "\\$&")}`;
        const style = styleOf[role].replace(/\$(\w+)/g, (_all, key: string) => colors[key as "main"]);
        return [`${selector}{${style}}`];
      });
      const base = `*{box-sizing:border-box}body{margin:0;font:16px/1.5 ${font};color:${colors.ink};background:${colors.paper}}a{color:${colors.accent}}`;
      return base + rules.join("\n");
    },
  };
}

const styleOf: Partial<Record<Role, string>> = {
  header: "background:$main;padding:12px 24px;display:flex;gap:24px;align-items:center",
  nav: "display:flex;gap:16px;list-style:none;margin:0",
  navItem: "color:#ffffff;text-decoration:none",
  main: "max-width:1100px;margin:24px auto;padding:0 16px",
  hero: "padding:48px 24px;background:$accent;color:#ffffff",
  grid: "display:flex;flex-wrap:wrap;gap:16px",
  card: "border:1px solid #dddddd;padding:16px;min-width:220px;flex:1",
  form: "max-width:400px;margin:24px auto;padding:24px;border:1px solid #cccccc;background:#ffffff",
  field: "margin-bottom:12px",
  label: "display:block;font-size:14px",
  input: "width:100%;padding:10px;border:1px solid #999999",
  button: "width:100%;padding:12px;background:$main;color:#ffffff;border:0;font-size:16px",
  footer: "padding:24px;border-top:1px solid #dddddd;font-size:14px;display:flex;flex-wrap:wrap;gap:32px",
  notice: "padding:12px;background:#fff5d6;border:1px solid #e5c76b",
  cookies:
    "position:fixed;left:0;right:0;bottom:0;padding:12px;background:#ffffff;border-top:2px solid $main",
};
