/* Made-up versions 2 and 3 of the schema, to test migration. The store uses them between
 * made_up_begin() and made_up_end(). Step 2 creates all tables again and copies their rows; the
 * table `annotation` then has a column for the author. Step 3 adds the table `note` with a row for
 * each run. */
#ifndef MADE_UP_VERSIONS_H
#define MADE_UP_VERSIONS_H

void made_up_begin(void);
void made_up_end(void); /* returns to the real versions; does nothing if they are already in use */

#endif
