<?php
/**
 * Plugin Name:       Signup Form
 * Description:       The shortcode [newsletter_kit]: a newsletter form that posts to your relay, to n8n or to your own server.
 * Version:           0.0.0
 * Requires at least: 6.3
 * Requires PHP:      7.4
 * License:           MIT
 * Update URI:        false
 */
namespace NewsletterKit\SignupForm;

defined( 'ABSPATH' ) || exit;

const OPTION  = 'newsletter_kit_signup_form';
const INITIAL = array( 'endpoint' => '', 'layout' => 'card', 'theme' => '', 'fields' => '', 'consent' => '' );
/** A field of the setting: `City`, `City*` if it is required, `Age:integer`, `First Name:given-name`, `Topics=boats|food`. */
const FIELD = '~^([^=*]+?)\s*(\*)?(?::([\w-]+))?\s*(?:=(.*))?$~';
/** Names of HTML's autofill fields that a newsletter can ask a person for. Any other word after the colon is a kind. */
const AUTOFILL = '~^(name|honorific-(prefix|suffix)|(given|additional|family)-name|nickname|organization(-title)?|street-address|address-(line[1-3]|level[1-4])|country(-name)?|postal-code|language|bday|sex|tel|url)$~';
/** What the inputs of some kinds have in the form for visitors without the script. */
const INPUTS = array(
	'integer'  => array( 'inputmode' => 'numeric' ),
	'double'   => array( 'inputmode' => 'decimal' ),
	'date'     => array( 'type' => 'date' ),
	'datetime' => array( 'type' => 'datetime-local' ),
);

function settings(): array {
	return array_merge( INITIAL, array_intersect_key( (array) get_option( OPTION ), INITIAL ) );
}

function choices(): array {
	$themes = array_map( fn( $file ) => basename( $file, '.css' ), glob( __DIR__ . '/themes/*.css' ) ?: array() );
	return array( 'layout' => array( 'inline', 'joined', 'stacked', 'card', 'cover' ), 'theme' => array( '', ...$themes ) );
}

/** With a wrong endpoint there is no form; with a wrong layout or theme the form has the usual one. */
function problems( array $settings ): array {
	$problems = array();
	$is_https = is_ssl() || 0 === stripos( home_url(), 'https:' );
	if ( '' === $settings['endpoint'] ) {
		$problems['endpoint'] = __( 'Visitors do not see the form: it has no endpoint.', 'signup-form' );
	} elseif ( ! preg_match( '~^https?://[^/]~', $settings['endpoint'] ) ) {
		$problems['endpoint'] = __( 'Visitors do not see the form: its endpoint does not begin with https://.', 'signup-form' );
	} elseif ( $is_https && 0 === strpos( $settings['endpoint'], 'http:' ) ) {
		$problems['endpoint'] = __( 'Visitors do not see the form: browsers block an endpoint with http:// on a site with https://.', 'signup-form' );
	}
	foreach ( choices() as $name => $known ) {
		if ( ! in_array( $settings[ $name ], $known, true ) ) {
			/* translators: 1: "layout" or "theme", 2: an unknown name, 3: the known names */
			$problems[ $name ] = sprintf( __( 'There is no %1$s "%2$s". Take one of %3$s.', 'signup-form' ), $name, $settings[ $name ], implode( ', ', array_filter( $known ) ) );
		}
	}
	return $problems;
}

/** The fields of the settings and the box of the consent: the attributes of their tags. */
function fields( array $settings ): array {
	$fields = array();
	foreach ( array_filter( array_map( 'trim', explode( ',', $settings['fields'] ) ), 'strlen' ) as $entered ) {
		preg_match( FIELD, $entered, $parts );
		list( , $name, $star, $word, $options ) = $parts + array( '', $entered, '', '', '' );
		$is_filled = preg_match( AUTOFILL, $word );
		$kind      = $is_filled || '' === $options ? '' : 'list';
		$fields[]  = array( 'name' => $name, 'kind' => $is_filled || '' === $word ? $kind : $word, 'options' => $options, 'autocomplete' => $is_filled ? $word : '', 'required' => '' !== $star );
	}
	$sentence = html_entity_decode( $settings['consent'], ENT_QUOTES );
	return '' === $sentence ? $fields : array_merge( $fields, array( array( 'kind' => 'consent', 'label' => $sentence, 'href' => get_privacy_policy_url(), 'required' => true ) ) );
}

function language(): string {
	return strtolower( substr( determine_locale(), 0, 2 ) );
}

/** The script is one file, so that it works where a caching plugin combines it with others, moves or delays it. */
function enqueue(): void {
	$files = array( 'signup-form-complete.js', 'languages/' . language() . '.js', 'signup-form.css', 'themes/' . sanitize_file_name( settings()['theme'] ) . '.css' );
	foreach ( array_filter( $files, fn( $file ) => is_file( __DIR__ . "/$file" ) ) as $file ) {
		$is_script = '.js' === substr( $file, -3 );
		$add       = $is_script ? 'wp_enqueue_script' : 'wp_enqueue_style';
		$add( 'signup-form-' . pathinfo( $file, PATHINFO_FILENAME ), plugins_url( $file, __FILE__ ), array(), filemtime( __DIR__ . "/$file" ), $is_script ? array( 'strategy' => 'defer', 'in_footer' => true ) : 'all' );
	}
}

/** The texts of the site's language. */
function texts(): array {
	$file = __DIR__ . '/languages/' . language() . '.json';
	return ( is_file( $file ) ? (array) wp_json_file_decode( $file ) : array() ) + array( 'emailLabel' => 'Email address', 'button' => 'Subscribe', 'optional' => '(optional)' );
}

/** A tag with its attributes; `true` is one without a value, and `false` and an empty text are none. */
function tag( string $name, array $attributes ): string {
	foreach ( $attributes as $key => $value ) {
		$name .= true === $value ? " $key" : ( false === $value || '' === $value ? '' : sprintf( ' %s="%s"', $key, esc_attr( $value ) ) );
	}
	return "<$name>";
}

/** A field in the form for visitors without the script, under the names of a form-encoded post. */
function control( array $field, string $optional ): string {
	$kind     = $field['kind'];
	$required = $field['required'];
	if ( 'consent' === $kind ) {
		$html = linked( $field['label'], $field['href'] );
		return box( 'checkbox', 'consent', html_entity_decode( wp_strip_all_tags( $html ), ENT_QUOTES ), $html, $required );
	}
	$name  = "custom_fields[{$field['name']}]";
	$title = esc_html( $field['name'] ) . ( $required ? '' : ' <small>' . esc_html( $optional ) . '</small>' );
	if ( 'boolean' === $kind ) {
		return box( 'checkbox', $name, 'true', $title, $required );
	}
	if ( '' === $field['options'] ) {
		return "<label><b>$title</b> " . tag( 'input', ( INPUTS[ $kind ] ?? array() ) + array( 'name' => $name, 'autocomplete' => $field['autocomplete'], 'required' => $required ) ) . '</label>';
	}
	$boxes = array_map( fn( $option ) => 'list' === $kind ? box( 'checkbox', $name . '[]', $option, esc_html( $option ), false ) : box( 'radio', $name, $option, esc_html( $option ), $required ), array_map( 'trim', explode( '|', $field['options'] ) ) );
	return "<fieldset><legend><b>$title</b></legend>" . implode( '', $boxes ) . '</fieldset>';
}

function box( string $type, string $name, string $value, string $html, bool $required ): string {
	return '<label>' . tag( 'input', compact( 'type', 'name', 'value', 'required' ) ) . " <span>$html</span></label>";
}

/**
 * The sentence of a consent with its links, as the tag reads them.
 *
 * @param string $href of links without an address
 */
function linked( string $sentence, string $href ): string {
	$html = preg_replace_callback( '~\[([^\[\]]+)\](?:\(([^\s()]*)\))?~', function ( $parts ) use ( $href ) {
		$address = esc_url( ( $parts[2] ?? '' ) ?: $href, array( 'http', 'https' ) );
		return $address ? "<a href='$address' target='_blank'>$parts[1]</a>" : $parts[1];
	}, esc_html( $sentence ) );
	return preg_replace( '~[\[\]]~', '', $html );
}

/**
 * The form, on one line, because some themes make paragraphs of lines; in a div, because a form would end the paragraph
 * around it.
 */
function form( array $settings, array $own = array(), array $attributes = array() ): string {
	enqueue();
	$texts  = array_filter( array( 'button' => $own['button'] ?? '' ) ) + texts();
	$before = '' === ( $own['heading'] ?? '' ) ? '' : '<h2 slot="head">' . esc_html( $own['heading'] ) . '</h2>';
	$labels = sprintf( '<label><b>%s</b> <input name="email" inputmode="email" pattern=".+@.+" autocomplete="email" required></label>', esc_html( $texts['emailLabel'] ) );
	foreach ( fields( $settings ) as $field ) {
		$before .= tag( 'newsletter-field', $field ) . '</newsletter-field>';
		$labels .= control( $field, $texts['optional'] );
	}
	$form = sprintf( '<form slot="fallback" action="%s" method="post">%s<button>%s</button></form>', esc_url( $settings['endpoint'] ), $labels, esc_html( $texts['button'] ) );
	$note = '' === ( $own['note'] ?? '' ) ? '' : '<p slot="note">' . esc_html( $own['note'] ) . '</p>';
	$open = tag( 'newsletter-signup', array( 'endpoint' => sanitize_url( $settings['endpoint'] ), 'layout' => $settings['layout'], 'text-button' => $texts['button'] ) + $attributes );
	return "<div>$open$before$form$note</newsletter-signup></div>";
}

add_shortcode( 'newsletter_kit', function ( $attributes ): string {
	$own      = array_filter( shortcode_atts( array_fill_keys( array( 'layout', 'fields', 'consent', 'heading', 'note', 'button' ), null ), $attributes ), 'is_string' );
	$settings = array_merge( settings(), array_intersect_key( $own, INITIAL ) );
	$problems = problems( $settings );
	$notice   = '';
	if ( $problems && ( current_user_can( 'manage_options' ) || ( array_intersect_key( $own, INITIAL ) && current_user_can( 'edit_post', get_the_ID() ) ) ) ) {
		$notice = sprintf( '<p role="note" style="border: 2px solid; padding: .75em">%s <a href="%s">%s</a> %s</p>', esc_html( implode( ' ', $problems ) ), esc_url( admin_url( 'options-general.php?page=signup-form' ) ), esc_html__( 'Settings', 'signup-form' ), esc_html__( 'Visitors do not see this note.', 'signup-form' ) );
	}
	if ( isset( $problems['endpoint'] ) ) {
		return $notice;
	}
	return $notice . form( isset( $problems['layout'] ) ? array( 'layout' => INITIAL['layout'] ) + $settings : $settings, $own );
} );

/** Readers of feeds show no form: they get a link to the page that has it. */
add_filter( 'the_content_feed', function ( $content ) {
	$tag_or_div = '~<newsletter-signup\b.*?</newsletter-signup>|(?=<div[^>]*\sdata-newsletter-signup)(<div\b(?:(?!</?div\b).|(?1))*+</div>)~s';
	$link       = fn() => sprintf( '<a href="%s">%s</a>', esc_url( get_permalink() ), esc_html( texts()['button'] ) );
	return preg_replace_callback( $tag_or_div, $link, $content ) ?? $content;
} );

// The tag, or its div, in an author's own HTML needs the script too.
foreach ( array( 'the_content', 'render_block_core/html', 'widget_custom_html_content' ) as $hook ) {
	add_filter( $hook, function ( $content ) {
		preg_match( '/<newsletter-signup|data-newsletter-signup/', $content ) && enqueue();
		return $content;
	}, 20 );
}

function sanitize( $input ): array {
	$settings = array_map( 'sanitize_text_field', array_intersect_key( (array) $input, INITIAL ) );
	$endpoint = sanitize_url( filter_var( $input['endpoint'] ?? '' ), array( 'https', 'http' ) );
	$consent  = wp_strip_all_tags( filter_var( $input['consent'] ?? '' ), true );
	return array_merge( $settings, array_filter( compact( 'endpoint', 'consent' ) ) );
}
add_action( 'admin_init', fn() => register_setting( OPTION, OPTION, array( 'sanitize_callback' => __NAMESPACE__ . '\sanitize' ) ) );
add_action( 'admin_menu', fn() => add_options_page( 'Signup Form', 'Signup Form', 'manage_options', 'signup-form', __NAMESPACE__ . '\settings_page' ) );

function settings_page(): void {
	$problems = problems( settings() );
	$message  = implode( ' ', $problems ) ?: __( 'Write [newsletter_kit] where the form belongs.', 'signup-form' );
	printf( '<div class="wrap"><h1>Signup Form</h1><div class="notice notice-%s"><p>%s</p></div><form action="options.php" method="post">', $problems ? 'warning' : 'info', esc_html( $message ) );
	settings_fields( OPTION );
	$origin = preg_replace( '~^(https?://[^/]+).*~', '$1', home_url() );
	$texts  = array(
		/* translators: %s: the address of this site */
		'endpoint' => array( __( 'Endpoint', 'signup-form' ), sprintf( __( 'The address that receives signups: that of your relay with /signup at its end, or the Production URL of n8n. It has to allow this site, %s.', 'signup-form' ), $origin ), 'https://relay.example.com/signup' ),
		'layout'   => array( __( 'Layout', 'signup-form' ), '', '' ),
		'theme'    => array( __( 'Theme', 'signup-form' ), __( 'Without one, the form takes the colours of the page.', 'signup-form' ), '' ),
		'fields'   => array( __( 'Custom fields', 'signup-form' ), __( 'Names of custom fields of your publication, separated by commas. A name with * is required. Choices follow a =, with | between them. After a colon stands the kind of the field, such as integer or date, or what browsers fill in, such as given-name.', 'signup-form' ), 'First Name*:given-name, Age:integer, Topics=boats|food' ),
		'consent'  => array( __( 'Consent', 'signup-form' ), __( 'The sentence beside a box that visitors have to tick. Whoever runs the relay has to name it there. [Words] in brackets link to the privacy page of this site, [words](https://example.com) to another.', 'signup-form' ), __( 'I have read the [privacy notice].', 'signup-form' ) ),
	);
	$rows = '';
	foreach ( $texts as $name => list( $title, $help, $placeholder ) ) {
		$value   = settings()[ $name ];
		$common  = array( 'id' => $name, 'name' => OPTION . "[$name]", 'aria-describedby' => $help ? "$name-help" : '' );
		$options = implode( '', array_map( fn( $choice ) => sprintf( '<option value="%s"%s>%s</option>', esc_attr( $choice ), selected( $choice, $value, false ), esc_html( $choice ?: __( 'None', 'signup-form' ) ) ), choices()[ $name ] ?? array() ) );
		$control = $options ? tag( 'select', $common ) . "$options</select>" : tag( 'input', $common + array( 'type' => 'text', 'class' => 'large-text', 'value' => $value, 'placeholder' => $placeholder ) );
		$rows   .= sprintf( '<tr><th><label for="%1$s">%2$s</label></th><td>%3$s<p class="description" id="%1$s-help">%4$s</p></td></tr>', esc_attr( $name ), esc_html( $title ), $control, esc_html( $help ) );
	}
	echo '<table class="form-table">' . $rows . '</table>' . get_submit_button() . '</form>'; // phpcs:ignore WordPress.Security.EscapeOutput -- escaped above.
	if ( ! isset( $problems['endpoint'] ) ) {
		printf( '<h2>%s</h2><p>%s</p>', esc_html__( 'Test', 'signup-form' ), esc_html__( 'This is the form with the saved settings. The button below it sends one invalid address, which is no signup, and says what the endpoint answers.', 'signup-form' ) );
		echo form( settings(), array(), array( 'debug' => true ) ); // phpcs:ignore WordPress.Security.EscapeOutput -- escaped there.
	}
	echo '</div>';
}
